import { stateOf } from '../../../src/queue/state.ts'
import { archivable, type Task, type TaskStatus } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { type Action, ActionButton, Outcome, useAction } from '../show/action.tsx'
import { JsonTree } from '../show/json.tsx'
import { Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Copy, Fact, Facts, LongText, plain } from '../show/text.tsx'
import { Ago, Countdown } from '../show/time.tsx'
import { Failure, failureOf } from '../source/failure.ts'
import type { ListedTask, QueueAction, SeenTask } from '../source/source.ts'
import { Timeline } from './timeline.tsx'

export function QueueTask({ id }: { id: string }) {
  const { source } = useConnected()
  const seen = useReading(['task', id], 'queue', ([, asked], { signal }) =>
    source.queue.get(asked, signal).catch((error: unknown) => {
      throw failureOf(error).kind === 'missing' ? gone(asked) : error
    }),
  )
  const action = useAction(seen, ({ task }) => stateOf(task))
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['queue', 'tasks'])}>Tasks</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(id)}</code>
      </p>
      <Shown reading={seen} what="the task">
        {(value) => (
          <>
            <Head seen={value} action={action} />
            <State task={value.task} />
            <Contents task={value.task} />
            <Timeline task={value.task} />
          </>
        )}
      </Shown>
    </>
  )
}

const gone = (id: string): Failure =>
  new Failure(
    'missing',
    `Task ${id} is not in the store: it was deleted or never existed.`,
    'Go back to the list of tasks.',
  )

interface Button {
  readonly action: QueueAction
  readonly title: string
  readonly done: (task: Task) => string
  readonly isFor: (task: Task) => boolean
}

const buttons: readonly Button[] = [
  {
    action: 'replay',
    title: 'Replay',
    done: () => 'It is pending again, with all its retries.',
    isFor: ({ status }) => status === 'failed' || status === 'cancelled',
  },
  {
    action: 'archive',
    title: 'Archive',
    done: () => 'It is archived.',
    isFor: ({ status }) => (archivable as readonly TaskStatus[]).includes(status),
  },
  {
    action: 'unarchive',
    title: 'Unarchive',
    done: ({ status }) => `It is ${status} again.`,
    isFor: ({ status }) => status === 'archived',
  },
  {
    action: 'cancel',
    title: 'Cancel',
    done: ({ status }) =>
      status === 'cancelled' ? 'It is cancelled.' : 'Its worker has been asked to stop.',
    isFor: ({ status, cancel_requested }) =>
      status === 'pending' || (status === 'running' && !cancel_requested),
  },
]

function Head({ seen, action }: { seen: SeenTask; action: Action }) {
  const { source } = useConnected()
  const { task } = seen
  const act = (button: Button) =>
    action.run(async () => {
      const after = await source.queue.act(seen, button.action)
      return { words: button.done(after), id: task.id, state: stateOf(after) }
    })
  return (
    <>
      <header class="view-head">
        <h1>
          <bdi>{plain(task.task_type)}</bdi> <Status status={task.status} />
        </h1>
        <div class="buttons">
          {buttons
            .filter(({ isFor }) => isFor(task))
            .map((button) => (
              <ActionButton
                key={button.action}
                action={action}
                on={stateOf(task)}
                kind={button.action === 'replay' ? 'main' : undefined}
                onPress={() => act(button)}
              >
                {button.title}
              </ActionButton>
            ))}
        </div>
      </header>
      <Outcome action={action} />
    </>
  )
}

const State = ({ task }: { task: Task }) => (
  <section class="panel">
    <Facts>
      <Fact name="ID">
        <code>{task.id}</code> <Copy text={task.id} label="Copy the ID" />
      </Fact>
      {task.status === 'pending' && (
        <Fact name="Can be claimed">
          <Countdown to={task.available_at} before="in" after="now" />
        </Fact>
      )}
      {task.status === 'running' && (
        <>
          <Fact name="Lease">
            {task.lease_expires_at ? (
              <Countdown to={task.lease_expires_at} before="expires in" after="expired" />
            ) : (
              'none'
            )}
          </Fact>
          <Fact name="Worker">
            <bdi>{plain(task.worker_id ?? 'unknown')}</bdi>
          </Fact>
        </>
      )}
      {task.cancel_requested && (
        <Fact name="Cancel">requested; waiting for its handler to stop</Fact>
      )}
      <Fact name="Attempts">
        {task.attempt}; {task.retry_count} of {task.max_retries} retries used
      </Fact>
      <Fact name="Timeout">{task.timeout_seconds} s per attempt</Fact>
      <Fact name="Created">
        <Ago time={task.created_at} />
      </Fact>
      <Fact name="Updated">
        <Ago time={task.updated_at} />
      </Fact>
      {task.completed_at !== null && (
        <Fact name="Completed">
          <Ago time={task.completed_at} />
        </Fact>
      )}
      {task.idempotency_key !== null && (
        <Fact name="Key">
          <LongText text={task.idempotency_key} max={200} />
        </Fact>
      )}
      {task.archived_from !== null && <Fact name="Archived from">{task.archived_from}</Fact>}
    </Facts>
    {task.last_error !== null && (
      <div class="last-error">
        <h2>Last error</h2>
        <pre>
          <LongText text={task.last_error} />
        </pre>
      </div>
    )}
  </section>
)

const Contents = ({ task }: { task: ListedTask }) => (
  <div class="columns">
    <section class="panel">
      <h2>Input</h2>
      {task.input_omitted ? <LeftOut /> : <JsonTree value={task.input} label="Input" />}
    </section>
    <section class="panel">
      <h2>Output</h2>
      {task.output_omitted ? (
        <LeftOut />
      ) : task.status === 'completed' || task.output !== null ? (
        <JsonTree value={task.output} label="Output" />
      ) : (
        <p class="soft">None yet.</p>
      )}
    </section>
  </div>
)

const LeftOut = () => (
  <p class="soft">
    Not sent: it is nested too deeply. <code>qo status --full</code> prints it.
  </p>
)
