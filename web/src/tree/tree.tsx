import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { dragging, dropping } from '../show/drag.ts'
import { Empty, Outcome, Shown, useDoing } from '../show/notice.tsx'
import { Rows } from '../show/rows.tsx'
import { Status, Tag } from '../show/status.tsx'
import { counted, Line, plain } from '../show/text.tsx'
import type { Cut, TreeTask } from '../source/api.ts'
import { TreeHead } from './head.tsx'
import { moveBelow } from './moves.ts'
import { childrenOf, isOpenByDefault, type Row, rowsOf } from './shape.ts'

const pauseMs = 1_500
const tagsShown = 3

export function Tree() {
  const api = useApi()
  const tasks = useReading('tree', 'tree', (signal) => api.treeTasks(signal), { pauseMs })
  return (
    <>
      <TreeHead place="tree" onAdded={tasks.again} />
      <Shown reading={tasks} what="the tree">
        {(value) => <Grown tasks={value} onMoved={tasks.again} />}
      </Shown>
    </>
  )
}

function Grown({ tasks, onMoved }: { tasks: Cut<TreeTask>; onMoved: () => Promise<void> }) {
  const api = useApi()
  const doing = useDoing()
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState('')
  const [dragged, setDragged] = useState<string | null>(null)
  const children = childrenOf(tasks.items)
  const isOpen = (id: string) => turned.has(id) !== isOpenByDefault(tasks.items.length)
  const turn = (id: string) => {
    const next = new Set(turned)
    if (!next.delete(id)) next.add(id)
    setTurned(next)
  }
  const move = async (id: string, parent: TreeTask | null) => {
    const task = tasks.items.find((each) => each.id === id)
    if (!task || id === parent?.id) return
    await doing.run(
      parent ? `It is part of “${plain(parent.title)}” now.` : 'It is a root now.',
      () => moveBelow(api, task, parent?.id ?? null),
    )
    await onMoved()
  }
  if (tasks.items.length === 0)
    return (
      <Empty title="The tree has no task yet.">
        Create one here, or with <code>coven task create --title …</code>
      </Empty>
    )
  const rows = text === '' ? rowsOf(children, isOpen) : found(tasks.items, text)
  return (
    <>
      <Outcome doing={doing} />
      <Finder
        text={text}
        isDragging={dragged !== null}
        onText={setText}
        onRoot={(id) => void move(id, null)}
      />
      <Rows
        class="tree-rows"
        label="Tree"
        head={heads}
        items={rows}
        hasMore={false}
        onMore={() => {}}
        keyOf={({ task }) => task.id}
        row={(row) => (
          <TreeRow
            row={row}
            onTurn={turn}
            onDrag={setDragged}
            onMove={(id) => void move(id, row.task)}
          />
        )}
      />
      <p class="soft small" role="status">
        {counted(rows.length, 'row')}, {counted(tasks.total, 'task')}
        {tasks.items.length < tasks.total && `; the first ${tasks.items.length} are shown`}. Drag a
        task onto another to make it a part of that; Move… on its page does the same by keys.
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
    .map((task) => ({ task, level: 0, childCount: 0, isOpen: false }))
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

const TreeRow = ({
  row: { task, level, childCount, isOpen },
  onTurn,
  onDrag,
  onMove,
}: {
  row: Row
  onTurn: (id: string) => void
  onDrag: (id: string | null) => void
  onMove: (id: string) => void
}) => (
  <>
    <td class="col-title" {...dropping(onMove)}>
      <div class="tree-cell" style={{ paddingInlineStart: `${Math.min(level, 12) * 20}px` }}>
        {childCount > 0 ? (
          <button
            type="button"
            class="turn"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${plain(task.title)}, ${childCount} below`}
            onClick={() => onTurn(task.id)}
          >
            <span class="caret" aria-hidden="true" />
          </button>
        ) : (
          <span class="turn" aria-hidden="true" />
        )}
        <a href={hrefOf(['tree', 'task', task.id])} {...dragging(task.id, onDrag)}>
          <Line text={task.title} />
        </a>
        <span class="soft small">
          P{task.priority}
          {task.type !== 'task' && ` · ${task.type}`}
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
