import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks'
import { clockError, useNow } from './clock.ts'
import { useConnected } from './context.ts'
import { entryKey } from './entry.ts'
import { JobView } from './jobs/job.tsx'
import { Jobs } from './jobs/jobs.tsx'
import { Lists } from './lists/lists.tsx'
import { PlanView } from './plans/plan.tsx'
import { Plans } from './plans/plans.tsx'
import { QueueOverview } from './queue/overview.tsx'
import { QueueTask } from './queue/task.tsx'
import { QueueTasks } from './queue/tasks.tsx'
import { QueueWorkers } from './queue/workers.tsx'
import { hrefOf, type Route, useRoute } from './route.ts'
import { useNoSlips } from './show/deliberate.ts'
import { Dialogs } from './show/dialog.tsx'
import { useFocusKept } from './show/focus.ts'
import { Empty, FailureBox } from './show/notice.tsx'
import { useScroll } from './show/scroll.ts'
import { spanOf } from './show/time.tsx'
import { failureOf } from './source/failure.ts'
import type { Model } from './source/source.ts'
import { useTheme } from './theme.ts'
import { setTitle, titleOf } from './title.ts'
import { Board } from './tree/board.tsx'
import { TreeTaskView } from './tree/task.tsx'
import { Tree } from './tree/tree.tsx'

const sections: readonly (readonly [path: string, title: string, model: Model])[] = [
  ['queue', 'Queue', 'queue'],
  ['tree', 'Tree', 'tree'],
  ['plans', 'Plans', 'plan'],
  ['lists', 'List', 'list'],
  ['jobs', 'Jobs', 'jobs'],
]

export function Shell({ onLeave }: { onLeave: () => void }) {
  const route = useRoute()
  const { source } = useConnected()
  const current = route.path[0] ?? 'queue'
  const place = route.path.join('/')
  useScroll(entryKey())
  useFocusKept()
  useNoSlips()
  useLayoutEffect(() => setTitle(titleOf(route)), [route])
  const isFirst = useRef(true)
  useEffect(() => {
    const main = document.getElementById('main')
    // The link that led here is gone.
    if (main && !isFirst.current && document.activeElement === document.body)
      main.focus({ preventScroll: true })
    isFirst.current = false
  }, [place])
  useEffect(() => {
    addEventListener('keydown', toSearch)
    return () => removeEventListener('keydown', toSearch)
  }, [])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="side">
        <p class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M10 7v18M22 7v18M10 16h12" />
          </svg>
          Holdfast
        </p>
        <nav class="sections" aria-label="Sections">
          {sections.map(([path, title]) => (
            <a
              key={path}
              href={hrefOf([path])}
              aria-current={path === current ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <footer class="about">
          <Standing />
          <p class="soft small store">
            <span>{source.title}</span> <span>{source.detail}</span>
          </p>
          <p class="small about-buttons">
            <ThemeButton />
            {source.kind === 'bucket' && (
              <button type="button" class="link" onClick={onLeave}>
                Forget the keys
              </button>
            )}
          </p>
        </footer>
      </header>
      <main id="main" tabIndex={-1}>
        <Safe key={place}>
          <Dialogs>
            <View route={route} />
          </Dialogs>
        </Safe>
      </main>
    </div>
  )
}

/** A view that can't be drawn leaves the rest of the page alone. */
function Safe({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  return <FailureBox failure={failureOf(error)} onAgain={again} />
}

function View({ route }: { route: Route }) {
  const { source } = useConnected()
  const [section = 'queue', part, id] = route.path
  const model = sections.find(([path]) => path === section)?.[2]
  if (model === undefined) return <Empty title="There is no such page.">Choose a section.</Empty>
  if (!source.models.includes(model)) return <NotHere />
  if (section === 'plans') return part === undefined ? <Plans /> : <PlanView sid={part} />
  if (section === 'lists') return <Lists route={route} />
  if (section === 'jobs') return part === undefined ? <Jobs route={route} /> : <JobView id={part} />
  if (section === 'tree') {
    if (part === 'task' && id !== undefined) return <TreeTaskView id={id} />
    return part === 'board' ? <Board /> : <Tree />
  }
  if (part === 'task' && id !== undefined) return <QueueTask id={id} />
  if (part === 'tasks') return <QueueTasks route={route} />
  return part === 'workers' ? <QueueWorkers /> : <QueueOverview />
}

const NotHere = () => (
  <Empty title="Without a server, only the queue of a bucket is shown.">
    Plans, tree, list and jobs are stored in a form that only Holdfast reads. Run{' '}
    <code>holdfast serve --store s3://BUCKET</code> and open the address that it prints.
  </Empty>
)

const words = { live: 'Live', polling: 'Polling every 10 s', lost: 'Not connected' } as const

/** Whether the page is live, and whether this computer's clock is off. */
function Standing() {
  const { connection } = useConnected()
  useNow()
  const off = clockError()
  return (
    <div role="status">
      <p class={`standing is-${connection}`}>
        <span class="dot" aria-hidden="true" />
        {words[connection]}
      </p>
      {off !== null && (
        <p class="soft small">
          This computer’s clock is {spanOf(Math.abs(off))} {off > 0 ? 'ahead' : 'behind'}; the page
          uses the store’s.
        </p>
      )}
    </div>
  )
}

function ThemeButton() {
  const [theme, onNext] = useTheme()
  return (
    <button type="button" class="link" onClick={onNext} aria-label={`Colors: ${theme}. Change.`}>
      Colors: {theme}
    </button>
  )
}

/** A slash goes to the search field of the view. */
function toSearch(event: KeyboardEvent): void {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, select, textarea, dialog')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  const search = document.querySelector<HTMLElement>('[data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
}
