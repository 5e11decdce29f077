import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Plan, PlanTask, ShownEvent } from '../source/api.ts'

/** One session as it goes on: goal, tasks, and what happened. */
export function PlanView({ sid }: { sid: string }) {
  const api = useApi()
  const plan = useReading(`plan ${sid}`, 'plan', (signal) => api.plan(sid, signal))
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['plans'])}>Plans</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(sid)}</code>
      </p>
      <Shown reading={plan} what="the plan">
        {(value) => (
          <>
            <Goal plan={value} />
            <div class="columns wide-first">
              <Tasks tasks={value.tasks} />
              <Events sid={sid} />
            </div>
          </>
        )}
      </Shown>
    </>
  )
}

const Goal = ({ plan: { session, goal } }: { plan: Plan }) => (
  <>
    <header class="view-head">
      <h1>
        {goal ? <bdi>{plain(goal.title)}</bdi> : 'No goal yet'} <Status status={session.state} />
      </h1>
    </header>
    <p class="soft plan-about">
      <code>{plain(session.dir_path)}</code> · started <Ago time={session.created_at} />, changed{' '}
      <Ago time={session.last_updated_at} />
    </p>
    {goal && goal.description !== '' && (
      <section class="panel">
        <p class="body">
          <LongText text={goal.description} />
        </p>
      </section>
    )}
  </>
)

function Tasks({ tasks }: { tasks: readonly PlanTask[] }) {
  const done = tasks.filter(({ status }) => status === 'completed').length
  return (
    <section class="panel">
      <h2>
        Tasks{' '}
        <span class="soft">
          {done} of {tasks.length} completed
        </span>
      </h2>
      {tasks.length === 0 ? (
        <Empty title="No tasks yet.">
          <code>np t a -t TITLE</code> adds one.
        </Empty>
      ) : (
        <>
          <progress max={tasks.length} value={done} aria-label="Completed tasks" />
          <ul class="plan-tasks">
            {tasks.map((task) => (
              <li key={task.id}>
                <Status status={task.status} />
                <div>
                  <bdi class="plan-title">{plain(task.title)}</bdi>
                  {task.description !== '' && (
                    <p class="soft small">
                      <LongText text={task.description} max={300} />
                    </p>
                  )}
                </div>
                <code class="soft small">{task.id}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Events({ sid }: { sid: string }) {
  const api = useApi()
  const events = useReading(`plan events ${sid}`, 'plan', (signal) => api.planEvents(sid, signal))
  return (
    <section class="panel">
      <h2>Events</h2>
      <Shown reading={events} what="the events">
        {({ items, total }) => (
          <>
            <ol class="log" reversed>
              {[...items].reverse().map((event) => (
                <li key={event.seq}>
                  <Event event={event} />
                </li>
              ))}
            </ol>
            {items.length === 0 && <p class="soft">Nothing has happened yet.</p>}
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

function Event({ event }: { event: ShownEvent }) {
  if ('problem' in event)
    return (
      <>
        <strong>Event {event.seq} can’t be read.</strong>{' '}
        <span class="soft">{plain(event.problem)}</span>
      </>
    )
  return (
    <>
      <span class="soft small">
        #{event.seq} · <Ago time={event.at} />
      </span>
      <br />
      <span>{wordsOf(event)}</span>
      {event.reason !== null && (
        <p class="reason">
          “<LongText text={event.reason} max={300} />”
        </p>
      )}
    </>
  )
}

type Readable = Exclude<ShownEvent, { problem: string }>

const short = (text: string): string =>
  `“${plain(text.length > 120 ? `${text.slice(0, 120)}…` : text)}”`

function wordsOf(event: Readable): string {
  if (event.type === 'goal_set') return `Goal set: ${short(event.payload.goal.title)}`
  if (event.type === 'goal_updated') return `Goal changed: ${short(event.payload.goal_after.title)}`
  if (event.type === 'task_added') return `Task added: ${short(event.payload.task.title)}`
  if (event.type === 'task_updated') return `Task changed: ${short(event.payload.after.title)}`
  const { title, status_before, status_after } = event.payload
  return `${short(title)}: ${status_before.replaceAll('_', ' ')} → ${status_after.replaceAll('_', ' ')}`
}
