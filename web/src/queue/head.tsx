import { go, hrefOf } from '../route.ts'
import { useDialog } from '../show/dialog.tsx'
import { SubmitForm } from './submit.tsx'

const places = [
  ['overview', 'Overview', []],
  ['tasks', 'Tasks', ['tasks']],
  ['workers', 'Workers', ['workers']],
] as const

/** The title of the queue's views, the way between them, and how to submit a task. */
export function QueueHead({ place }: { place: (typeof places)[number][0] }) {
  const open = useDialog()
  const submit = () =>
    open((close) => <SubmitForm onDone={({ id }) => go(['queue', 'task', id])} onClose={close} />)
  return (
    <header class="view-head">
      <h1>Queue</h1>
      <nav class="tabs" aria-label="Queue">
        {places.map(([name, title, path]) => (
          <a
            key={name}
            href={hrefOf(['queue', ...path])}
            aria-current={name === place ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <div class="buttons beside-title">
        <button type="button" onClick={submit}>
          Submit a task
        </button>
      </div>
    </header>
  )
}
