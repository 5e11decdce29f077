import type { TargetedInputEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { shards } from '../../../src/queue/fields.ts'
import { statuses, type TaskStatus } from '../../../src/queue/task.ts'
import { useIsHere } from '../here.ts'
import { go } from '../route.ts'
import type { TaskFilter } from '../source/source.ts'

const typingMs = 300

/** What the address says of the list; typing waits for its end. */
export function Filters({ filter }: { filter: TaskFilter }) {
  const { change, typed, outside } = useFilter(filter)
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
      <Typing
        label="Type"
        value={filter.type}
        outside={outside}
        placeholder="exact name"
        onTyped={(type) => typed({ type })}
      />
      <Typing
        label="Text"
        isSearch
        value={filter.text}
        outside={outside}
        placeholder="in ID, input, output or error ( / )"
        onTyped={(text) => typed({ text })}
      />
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

/**
 * Changes the filter in the address, at once or when typing pauses. `outside` counts the changes that came from elsewhere,
 * such as a link: they take the place of what is typed. The changes made here come back late, and must not.
 */
function useFilter(filter: TaskFilter) {
  const now = JSON.stringify(filter)
  const own = useRef({ seen: now, sent: '', outside: 0, part: {} as TaskFilter, timer: 0 }).current
  const isHere = useIsHere()
  if (now !== own.seen) {
    if (now !== own.sent) {
      clearTimeout(own.timer)
      own.part = {}
      own.outside++
    }
    own.seen = now
    own.sent = ''
  }
  const current = useRef(filter)
  current.current = filter
  const change = (part: TaskFilter) => {
    clearTimeout(own.timer)
    const wanted = { ...current.current, ...own.part, ...part }
    own.part = {}
    const sent = JSON.stringify(wanted)
    own.sent = sent === own.seen ? '' : sent
    go(['queue', 'tasks'], wanted, { replace: true })
  }
  const typed = (part: TaskFilter) => {
    clearTimeout(own.timer)
    own.part = { ...own.part, ...part }
    own.timer = window.setTimeout(() => isHere.current && change({}), typingMs)
  }
  return { change, typed, outside: own.outside }
}

interface TypingProps {
  readonly label: string
  readonly value: string | undefined
  readonly outside: number
  readonly onTyped: (value: string | undefined) => void
  readonly placeholder: string
  readonly isSearch?: true
}

/** A filter as it is typed. */
function Typing({ label, value, outside, onTyped, placeholder, isSearch }: TypingProps) {
  const [text, setText] = useState(value ?? '')
  const [known, setKnown] = useState(outside)
  if (known !== outside) {
    setKnown(outside)
    setText(value ?? '')
  }
  const control = {
    placeholder,
    spellcheck: false,
    value: text,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => {
      setText(currentTarget.value)
      onTyped(currentTarget.value.trim() || undefined)
    },
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of the two is there
    <label class={isSearch ? 'wide' : undefined}>
      <span>{label}</span>
      {isSearch ? <input type="search" data-search {...control} /> : <input {...control} />}
    </label>
  )
}
