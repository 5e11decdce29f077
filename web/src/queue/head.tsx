import { hrefOf } from '../route.ts'

const places = [
  ['overview', 'Overview', []],
  ['tasks', 'Tasks', ['tasks']],
  ['workers', 'Workers', ['workers']],
] as const

/** The title of the queue's views, and the way between them. */
export const QueueHead = ({ place }: { place: (typeof places)[number][0] }) => (
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
  </header>
)
