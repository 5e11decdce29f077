import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { type Action, Outcome, useAction } from '../show/action.tsx'
import { Shown } from '../show/notice.tsx'
import { Status, Tag } from '../show/status.tsx'
import { Copy, Fact, Facts, LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { SeenTreeTask, TreeTask } from '../source/api.ts'
import { useTitle } from '../title.ts'
import { Actions } from './actions.tsx'
import { Grimoire, History } from './insight.tsx'

export function TreeTaskView({ id }: { id: string }) {
  const api = useApi()
  const seen = useReading(['tree task', id], 'tree', ([, asked], { signal }) =>
    api.treeTask(asked, signal),
  )
  const action = useAction(seen, ({ state }) => state)
  useTitle(seen.value?.task.title, 'Tree')
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf(['tree'])}>Tree</a> <span aria-hidden="true">/</span>{' '}
        <code>{plain(id)}</code>
      </p>
      <Shown reading={seen} what="the task">
        {(value) => <Whole seen={value} action={action} />}
      </Shown>
    </>
  )
}

const Whole = ({ seen, action }: { seen: SeenTreeTask; action: Action }) => {
  const { task } = seen
  return (
    <>
      <header class="view-head">
        <h1>
          <bdi>{plain(task.title)}</bdi> <Status status={task.status} />
        </h1>
      </header>
      {task.deleted_at !== null && (
        <div class="notice warn">
          <p>
            <strong>Retention hid this task</strong> <Ago time={task.deleted_at} />, so no list
            shows it. Restore brings it back, with everything hidden together with it.
          </p>
        </div>
      )}
      <Actions seen={seen} action={action} />
      <Outcome action={action} />
      <Properties task={task} />
      {task.body !== null && (
        <section class="panel">
          <h2>Text</h2>
          <p class="body">
            <LongText text={task.body} />
          </p>
        </section>
      )}
      <div class="columns">
        <Grimoire task={task} />
        <History task={task} />
      </div>
    </>
  )
}

const Properties = ({ task }: { task: TreeTask }) => (
  <section class="panel">
    <Facts>
      <Fact name="ID">
        <code>{task.id}</code> <Copy text={task.id} label="Copy the ID" />
      </Fact>
      <Fact name="Part of">
        {task.parent_id === null ? (
          'nothing: it is a root'
        ) : (
          <a href={hrefOf(['tree', 'task', task.parent_id])}>
            <code>{task.parent_id.slice(0, 13)}</code>
          </a>
        )}
      </Fact>
      <Fact name="Type">{task.type}</Fact>
      <Fact name="Priority">P{task.priority}</Fact>
      <Fact name="Claimed by">
        {task.claimed_by === null ? (
          'nobody'
        ) : (
          <>
            <bdi>{plain(task.claimed_by)}</bdi> <Ago time={task.claimed_at} />
          </>
        )}
      </Fact>
      <Fact name="Tags">
        {task.tags.length === 0
          ? 'none'
          : task.tags.map((tag) => <Tag key={tag} tag={plain(tag)} />)}
      </Fact>
      <Fact name="Created">
        <Ago time={task.created_at} />
      </Fact>
      <Fact name="Updated">
        <Ago time={task.updated_at} />
      </Fact>
    </Facts>
  </section>
)
