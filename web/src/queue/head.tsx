import { useState } from 'preact/hooks'
import { hrefOf } from '../route.ts'
import { SubmitForm } from './submit.tsx'

const places = [
  ['overview', 'Overview', []],
  ['tasks', 'Tasks', ['tasks']],
  ['workers', 'Workers', ['workers']],
] as const

/** The title of the queue's views, the way between them, and what begins everything: a task. */
export function QueueHead({ place }: { place: (typeof places)[number][0] }) {
  const [isAsking, setAsking] = useState(false)
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
        <button type="button" onClick={() => setAsking(true)}>
          Submit a task
        </button>
      </div>
      {isAsking && <SubmitForm onClose={() => setAsking(false)} />}
    </header>
  )
}
