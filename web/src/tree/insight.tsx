import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { Shown } from '../show/notice.tsx'
import { LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Explained, HistoryEntry, TreeTask } from '../source/api.ts'

/** Which grimoire the task would be given, and why, matcher by matcher. */
export function Grimoire({ task }: { task: TreeTask }) {
  const api = useApi()
  const query = ['grimoire', task.id, task.updated_at] as const
  const explained = useReading(query, 'tree', ([, id], { signal }) => api.explain(id, signal))
  return (
    <section class="panel">
      <h2>Grimoire</h2>
      <Shown reading={explained} what="the matchers">
        {(value) => <Verdicts explained={value} task={task} />}
      </Shown>
    </section>
  )
}

const Verdicts = ({ explained, task }: { explained: Explained; task: TreeTask }) => (
  <>
    <p>
      A claim selects <strong>{plain(explained.selected_grimoire)}</strong>, by{' '}
      <code>{plain(explained.matched_by)}</code>.
      {task.grimoire !== null && (
        <>
          {' '}
          Its last claim selected <strong>{plain(task.grimoire)}</strong>.
        </>
      )}
    </p>
    {explained.matcher_file_error && (
      <div class="notice warn">
        <p>
          <strong>The matcher file is broken</strong>, so the last valid rules apply:{' '}
          {plain(explained.matcher_file_error)}
        </p>
      </div>
    )}
    {explained.evaluation.length === 0 ? (
      <p class="soft small">No matchers are configured.</p>
    ) : (
      <ol class="verdicts">
        {explained.evaluation.map(({ name, matched, reason }) => (
          <li key={name} class={matched ? 'is-match' : undefined}>
            <strong>{plain(name)}</strong>{' '}
            <span class="soft">
              {matched ? 'matches' : 'does not match'}: {plain(reason)}
            </span>
          </li>
        ))}
      </ol>
    )}
  </>
)

export function History({ task }: { task: TreeTask }) {
  const api = useApi()
  const query = ['tree history', task.id, task.updated_at, task.status] as const
  const history = useReading(query, 'tree', ([, id], { signal }) => api.treeHistory(id, signal))
  return (
    <section class="panel">
      <h2>History</h2>
      <Shown reading={history} what="the history">
        {({ items, total }) => (
          <>
            <ol class="log">
              {items.map((entry) => (
                <li key={`${entry.changed_at} ${entry.field} ${entry.new_value.slice(0, 80)}`}>
                  <Entry entry={entry} />
                </li>
              ))}
            </ol>
            {items.length < total && (
              <p class="soft small">
                The newest {items.length} of {total}.
              </p>
            )}
          </>
        )}
      </Shown>
    </section>
  )
}

const shortMax = 160

const Entry = ({ entry }: { entry: HistoryEntry }) => (
  <>
    <span class="soft small">
      <Ago time={entry.changed_at} /> · {plain(entry.changed_by)}
    </span>
    <br />
    <strong>{plain(entry.field)}</strong>{' '}
    {entry.old_value !== '' && (
      <>
        <s class="soft">
          <LongText text={entry.old_value} max={shortMax} />
        </s>{' '}
        →{' '}
      </>
    )}
    {entry.new_value === '' ? (
      <span class="soft">nothing</span>
    ) : (
      <LongText text={entry.new_value} max={shortMax} />
    )}
    {entry.reason && (
      <p class="reason">
        “<LongText text={entry.reason} />”
      </p>
    )}
    {entry.summary && (
      <p class="reason">
        “<LongText text={entry.summary} />”
      </p>
    )}
  </>
)
