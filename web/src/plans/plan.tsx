import type { ComponentChildren } from 'preact'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { useArrows } from '../show/arrows.ts'
import { useDialog } from '../show/dialog.tsx'
import { Empty, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Plan, PlanTask, ShownEvent } from '../source/api.ts'
import { useTitle } from '../title.ts'
import { AddTask, type FormProps, GoalForm, StatusForm } from './forms.tsx'

/** One session as it goes on: goal, tasks, and what happened. */
export function PlanView({ sid }: { sid: string }) {
  const api = useApi()
  const plan = useReading(['plan', sid], 'plan', ([, asked], { signal }) => api.plan(asked, signal))
  useTitle(plan.value?.goal?.title, 'Plans')
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['plans'])}>Plans</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(sid)}</code>
      </p>
      <Shown reading={plan} what="the plan">
        {(value) => (
          <>
            <Goal plan={value} onChange={plan.again} />
            <div class="columns wide-first">
              <Tasks plan={value} onChange={plan.again} />
              <Events sid={sid} />
            </div>
          </>
        )}
      </Shown>
    </>
  )
}

interface PartProps {
  readonly plan: Plan
  readonly onChange: () => Promise<void>
}

/** Opens a form that ends with the plan being read again. */
function useForm({ plan, onChange }: PartProps) {
  const open = useDialog()
  const { sid } = plan.session
  return (form: (props: FormProps) => ComponentChildren) =>
    open((close) => {
      const onDone = () => {
        close()
        void onChange()
      }
      return form({ sid, onDone, onClose: close })
    })
}

function Goal(props: PartProps) {
  const { session, goal } = props.plan
  const open = useForm(props)
  return (
    <>
      <header class="view-head">
        <h1>
          {goal ? <bdi>{plain(goal.title)}</bdi> : 'No goal yet'} <Status status={session.state} />
        </h1>
        {session.state === 'active' && (
          <div class="buttons">
            <button
              type="button"
              onClick={() => open((form) => <GoalForm goal={goal} {...form} />)}
            >
              {goal ? 'Edit the goal' : 'Set the goal'}
            </button>
          </div>
        )}
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
}

function Tasks(props: PartProps) {
  const { session, tasks } = props.plan
  const open = useForm(props)
  const isActive = session.state === 'active'
  const setStatus = (task: PlanTask) => open((form) => <StatusForm task={task} {...form} />)
  const list = useArrows<HTMLUListElement>('tasks of the plan')
  const done = tasks.filter(({ status }) => status === 'completed').length
  return (
    <section class="panel">
      <div class="plan-head">
        <h2>
          Tasks{' '}
          <span class="soft">
            {done} of {tasks.length} completed
          </span>
        </h2>
        {isActive && (
          <button type="button" onClick={() => open((form) => <AddTask {...form} />)}>
            Add a task
          </button>
        )}
      </div>
      {tasks.length === 0 ? (
        <Empty title="No tasks yet." />
      ) : (
        <>
          <progress max={tasks.length} value={done} aria-label="Completed tasks" />
          <ul class="plan-tasks" ref={list}>
            {tasks.map((task) => (
              <li key={task.id} data-row={task.id}>
                <Task task={task} onStatus={isActive ? () => setStatus(task) : null} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

const Task = ({ task, onStatus }: { task: PlanTask; onStatus: (() => void) | null }) => (
  <>
    <Status status={task.status} />
    <div>
      <bdi class="plan-title">{plain(task.title)}</bdi>
      {task.description !== '' && (
        <p class="soft small">
          <LongText text={task.description} max={300} />
        </p>
      )}
    </div>
    <span class="plan-side">
      <code class="soft small">{task.id}</code>
      {onStatus && (
        <button
          type="button"
          class="link"
          aria-label={`Set the status of ${plain(task.title.slice(0, 60))}`}
          onClick={onStatus}
        >
          status
        </button>
      )}
    </span>
  </>
)

function Events({ sid }: { sid: string }) {
  const api = useApi()
  const events = useReading(['plan events', sid], 'plan', ([, asked], { signal }) =>
    api.planEvents(asked, signal),
  )
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
