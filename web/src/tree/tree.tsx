import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { useKept } from '../entry.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { type Action, Outcome, useAction } from '../show/action.tsx'
import { dragging, dropping } from '../show/drag.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Rows } from '../show/rows.tsx'
import { Status, Tag } from '../show/status.tsx'
import { counted, Line, plain } from '../show/text.tsx'
import type { Cut, TreeTask } from '../source/api.ts'
import { TreeHead } from './head.tsx'
import { added, moveBelow, ofList, shownIn, shownOf } from './moves.ts'
import { childrenOf, isOpenByDefault, type Row, rowsOf } from './shape.ts'

const pauseMs = 1_500
const tagsShown = 3

export function Tree() {
  const api = useApi()
  const tasks = useReading(['tree'], 'tree', (_, { signal }) => api.treeTasks(signal), { pauseMs })
  const action = useAction(tasks, shownIn)
  return (
    <>
      <TreeHead place="tree" onAdded={(task) => action.tell(added(task))} />
      <Outcome action={action} />
      <Shown reading={tasks} what="the tree">
        {(value) => <Grown tasks={value} action={action} />}
      </Shown>
    </>
  )
}

function Grown({ tasks, action }: { tasks: Cut<TreeTask>; action: Action }) {
  const api = useApi()
  const [turned, setTurned] = useTurned()
  const [text, setText] = useKept('tree text', '')
  const [dragged, setDragged] = useState<string | null>(null)
  const children = childrenOf(tasks.items)
  const isOpen = (id: string) => turned.has(id) !== isOpenByDefault(tasks.items.length)
  const turn = (id: string) => {
    const next = new Set(turned)
    if (!next.delete(id)) next.add(id)
    setTurned(next)
  }
  const move = (id: string, parent: TreeTask | null) => {
    const task = tasks.items.find((each) => each.id === id)
    if (!task || id === parent?.id) return
    const words = parent ? `It is part of “${plain(parent.title)}” now.` : 'It is a root now.'
    void action.run(async () => {
      const after = await moveBelow(api, ofList(task), parent && ofList(parent))
      return { words, id, state: shownOf(after.task) }
    })
  }
  if (tasks.items.length === 0)
    return (
      <Empty title="No tasks yet.">
        Create one here, or with <code>coven task create --title …</code>
      </Empty>
    )
  const rows = text === '' ? rowsOf(children, isOpen) : found(tasks.items, text)
  return (
    <>
      <Finder
        text={text}
        isDragging={dragged !== null}
        onText={setText}
        onRoot={(id) => move(id, null)}
      />
      <Rows
        class="tree-rows"
        label="Tree"
        head={heads}
        items={rows}
        hasMore={false}
        onMore={() => {}}
        keyOf={({ task }) => task.id}
        branchOf={({ level, childCount, isOpen, at, of }) => ({
          level,
          isOpen: childCount === 0 ? null : isOpen,
          at,
          of,
        })}
        onTurn={({ task }) => turn(task.id)}
        row={(row, tabIndex) => (
          <TreeRow
            row={row}
            tabIndex={tabIndex}
            onTurn={turn}
            onDrag={setDragged}
            onMove={(id) => move(id, row.task)}
          />
        )}
      />
      <p class="soft small" role="status">
        {counted(rows.length, 'row')}, {counted(tasks.total, 'task')}
        {tasks.items.length < tasks.total && `; the first ${tasks.items.length} are shown`}. Drag a
        task onto another to make it part of that one, or use Move… on its page.
      </p>
    </>
  )
}

const heads = (
  <tr>
    <th scope="col">Task</th>
    <th scope="col" class="col-status">
      Status
    </th>
    <th scope="col" class="col-who">
      Claimed by
    </th>
    <th scope="col" class="col-tags">
      Tags
    </th>
  </tr>
)

const found = (tasks: readonly TreeTask[], text: string): Row[] => {
  const wanted = text.toLowerCase()
  return tasks
    .filter((task) =>
      `${task.title}\n${task.body ?? ''}\n${task.tags.join('\n')}`.toLowerCase().includes(wanted),
    )
    .map((task, n, all) => ({
      task,
      level: 0,
      childCount: 0,
      isOpen: false,
      at: n + 1,
      of: all.length,
    }))
}

/** Branches that were opened or closed by hand stay so while the page is there, wherever one goes meanwhile. */
let turnedBefore: ReadonlySet<string> = new Set()

function useTurned() {
  const [turned, setTurned] = useState(turnedBefore)
  const turn = (next: ReadonlySet<string>) => {
    turnedBefore = next
    setTurned(next)
  }
  return [turned, turn] as const
}

const Finder = ({
  text,
  isDragging,
  onText,
  onRoot,
}: {
  text: string
  isDragging: boolean
  onText: (text: string) => void
  onRoot: (id: string) => void
}) => (
  <form class="filters" onSubmit={(event) => event.preventDefault()}>
    <label class="wide">
      <span>Find</span>
      <input
        type="search"
        data-search
        value={text}
        placeholder="in title, body and tags ( / )"
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
    <output class={isDragging ? 'drop-root' : 'drop-root is-idle'} {...dropping(onRoot)}>
      Drop here for no parent
    </output>
  </form>
)

/** Further down the rows say their level, for titles need the room. */
const indentsMax = 12

const TreeRow = ({
  row: { task, level, childCount, isOpen },
  tabIndex,
  onTurn,
  onDrag,
  onMove,
}: {
  row: Row
  tabIndex: 0 | -1
  onTurn: (id: string) => void
  onDrag: (id: string | null) => void
  onMove: (id: string) => void
}) => (
  <>
    <td class="col-title" {...dropping(onMove)}>
      <div class="tree-cell" style={{ '--indents': Math.min(level, indentsMax) }}>
        {childCount > 0 ? (
          <button
            type="button"
            class="turn"
            tabIndex={-1}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${plain(task.title)}, ${childCount} below`}
            onClick={() => onTurn(task.id)}
          >
            <span class="caret" aria-hidden="true" />
          </button>
        ) : (
          <span class="turn" aria-hidden="true" />
        )}
        <a
          class="row-link"
          href={hrefOf(['tree', 'task', task.id])}
          tabIndex={tabIndex}
          {...dragging(task.id, onDrag)}
        >
          <Line text={task.title} />
        </a>
        <span class="soft small">
          P{task.priority}
          {task.type !== 'task' && ` · ${task.type}`}
          {level > indentsMax && ` · level ${level + 1}`}
        </span>
      </div>
    </td>
    <td class="col-status">
      <Status status={task.status} />
    </td>
    <td class="col-who">
      <Line text={task.claimed_by ?? ''} />
    </td>
    <td class="col-tags">
      {task.tags.slice(0, tagsShown).map((tag) => (
        <Tag key={tag} tag={plain(tag)} />
      ))}
      {task.tags.length > tagsShown && (
        <span class="soft small"> +{task.tags.length - tagsShown}</span>
      )}
    </td>
  </>
)
