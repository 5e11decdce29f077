import { useRef } from 'preact/hooks'
import { shards } from '../../../src/queue/keys.ts'
import { statuses, type TaskStatus } from '../../../src/queue/task.ts'
import { go } from '../route.ts'
import type { TaskFilter } from '../source/source.ts'

const typingMs = 300

/** What the address says of the list; typing waits for its end. */
export function Filters({ filter }: { filter: TaskFilter }) {
  const typing = useRef<{ part: TaskFilter; timer?: ReturnType<typeof setTimeout> }>({ part: {} })
  const change = (part: TaskFilter) => {
    clearTimeout(typing.current.timer)
    const wanted = { ...filter, ...typing.current.part, ...part }
    typing.current = { part: {} }
    go(['queue', 'tasks'], wanted, { replace: true })
  }
  const typed = (part: TaskFilter) => {
    clearTimeout(typing.current.timer)
    const timer = setTimeout(() => change({}), typingMs)
    typing.current = { part: { ...typing.current.part, ...part }, timer }
  }
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Status</span>
        <select
          value={filter.status ?? ''}
          onChange={({ currentTarget }) =>
            change({ status: (currentTarget.value || undefined) as TaskStatus | undefined })
          }
        >
          <option value="">all but archived</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Type</span>
        <input
          defaultValue={filter.type ?? ''}
          key={`type ${filter.type ?? ''}`}
          placeholder="exactly"
          onInput={({ currentTarget }) => typed({ type: currentTarget.value.trim() || undefined })}
        />
      </label>
      <label class="wide">
        <span>Text</span>
        <input
          type="search"
          data-search
          defaultValue={filter.text ?? ''}
          placeholder="in id, input, output or error ( / )"
          onInput={({ currentTarget }) => typed({ text: currentTarget.value.trim() || undefined })}
        />
      </label>
      <label>
        <span>Shard</span>
        <select
          value={filter.shard ?? ''}
          onChange={({ currentTarget }) => change({ shard: currentTarget.value || undefined })}
        >
          <option value="">all</option>
          {shards.map((shard) => (
            <option key={shard}>{shard}</option>
          ))}
        </select>
      </label>
    </form>
  )
}
