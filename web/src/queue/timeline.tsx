import { useState } from 'preact/hooks'
import type { TaskVersion } from '../../../src/queue/history.ts'
import type { Task } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { JsonTree } from '../show/json.tsx'
import { Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import { differences } from './differences.ts'

const versionsShown = 50

/** All states of a task, and what is different between two of them. */
export function Timeline({ task }: { task: Task }) {
  const { source } = useConnected()
  const query = ['history', task.id, task.updated_at, task.status] as const
  const history = useReading(query, 'queue', ([, id], { signal }) =>
    source.queue.history(id, signal),
  )
  return (
    <section class="panel">
      <h2>History</h2>
      <Shown reading={history} what="the history">
        {(versions) => (
          <>
            {source.warnings.map((warning) => (
              <p key={warning} class="soft small">
                {warning}
              </p>
            ))}
            <Versions versions={versions} />
          </>
        )}
      </Shown>
    </section>
  )
}

function Versions({ versions }: { versions: readonly TaskVersion[] }) {
  const last = versions.length
  const [pair, setPair] = useState<readonly [number, number] | null>(null)
  const [from, to] = pair ?? [Math.max(1, last - 1), last]
  const [isAll, setAll] = useState(false)
  const shown = isAll ? versions : versions.slice(-versionsShown)
  const at = (version: number) => versions[version - 1]
  return (
    <div class="columns">
      <div>
        {shown.length < last && (
          <button type="button" class="link" onClick={() => setAll(true)}>
            {last - shown.length} earlier versions
          </button>
        )}
        <ol class="timeline">
          {shown.map(({ version, at: time, task }) => (
            <li key={version} class={`v-${task.status}`}>
              <button
                type="button"
                class="version"
                aria-pressed={version === to}
                onClick={() => setPair([Math.max(1, version - 1), version])}
              >
                <span class="version-number">{version}</span>
                <Status status={task.status} />
                <span class="soft">
                  <Ago time={time} />
                </span>
                <span class="version-note">{noteOf(task, at(version - 1)?.task)}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      <Difference versions={versions} from={from} to={to} onPair={setPair} />
    </div>
  )
}

/** What this state is about, in a few words. */
function noteOf(task: Task, before: Task | undefined): string {
  if (!before) return 'submitted'
  if (task.status === 'running' && before.status !== 'running')
    return plain(`attempt ${task.attempt} by ${task.worker_id ?? 'unknown'}`)
  if (task.cancel_requested && !before.cancel_requested) return 'cancel requested'
  if (task.status === 'pending' && before.status === 'running')
    return task.retry_count > before.retry_count ? `retry ${task.retry_count}` : 'given back'
  if (task.status === 'pending' && (before.status === 'failed' || before.status === 'cancelled'))
    return 'replayed'
  return ''
}

function Difference({
  versions,
  from,
  to,
  onPair,
}: {
  versions: readonly TaskVersion[]
  from: number
  to: number
  onPair: (pair: readonly [number, number]) => void
}) {
  const [before, after] = [versions[from - 1]?.task, versions[to - 1]?.task]
  const choose = (label: string, value: number, onValue: (value: number) => void) => (
    <select
      aria-label={label}
      value={String(value)}
      onChange={({ currentTarget }) => onValue(Number(currentTarget.value))}
    >
      {versions.map(({ version }) => (
        <option key={version} value={String(version)}>
          {version}
        </option>
      ))}
    </select>
  )
  const changed = before && after ? differences(before, after) : []
  return (
    <div class="difference">
      <p class="difference-head">
        From {choose('From version', from, (value) => onPair([value, to]))} to{' '}
        {choose('To version', to, (value) => onPair([from, value]))}
      </p>
      {changed.length === 0 ? (
        <p class="soft">{from === to ? 'The same version.' : 'Nothing differs.'}</p>
      ) : (
        <dl class="diff" aria-label="What differs">
          {changed.map(({ name, before: old, after: now }) => (
            <div key={name}>
              <dt>{plain(name)}</dt>
              <dd class="old">
                <JsonTree value={old} label={`${name} before`} />
              </dd>
              <dd class="new">
                <JsonTree value={now} label={`${name} after`} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
