import { useRef, useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf, type Route } from '../route.ts'
import { type Doing, Empty, Outcome, Shown, useDoing } from '../show/notice.tsx'
import { LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { ListTask } from '../source/api.ts'
import { EditForm, tagsOf } from './edit.tsx'

const doneWords = { open: false, done: true } as const

/** A person's own list: what is to do, by tags. */
export function Lists({ route }: { route: Route }) {
  const api = useApi()
  const doing = useDoing()
  const { tag, show = 'open' } = route.query
  const done = doneWords[show as keyof typeof doneWords]
  const tasks = useReading(`list ${tag ?? ''} ${show}`, 'list', (signal) =>
    api.listTasks({ any: tag, done }, signal),
  )
  const run = async (what: string, action: () => Promise<unknown>) => {
    const isDone = await doing.run(what, action)
    await tasks.again()
    return isDone
  }
  return (
    <>
      <header class="view-head">
        <h1>List</h1>
        <nav class="tabs" aria-label="Which tasks">
          {['open', 'done', 'all'].map((each) => (
            <a
              key={each}
              href={hrefOf(['lists'], { tag, show: each })}
              aria-current={each === show ? 'page' : undefined}
            >
              {each}
            </a>
          ))}
        </nav>
      </header>
      <Tags tag={tag} show={show} />
      <AddForm tag={tag} doing={doing} onAdd={run} />
      <Outcome doing={doing} />
      <Shown reading={tasks} what="the list">
        {({ items, total }) => (
          <>
            <ul class="todo">
              {items.map((task) => (
                <li key={task.id}>
                  <Todo task={task} onRun={run} />
                </li>
              ))}
            </ul>
            {items.length === 0 && (
              <Empty title={show === 'done' ? 'Nothing is done yet.' : 'Nothing to do here.'}>
                Add something above, or with <code>ut add</code>.
              </Empty>
            )}
            {items.length < total && (
              <p class="soft small">
                {items.length} of {total} tasks; a tag shows fewer.
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

type Run = (what: string, action: () => Promise<unknown>) => Promise<boolean>

function Tags({ tag, show }: { tag: string | undefined; show: string }) {
  const api = useApi()
  const tags = useReading('list tags', 'list', (signal) => api.listTags(signal))
  if (!tags.value || tags.value.length === 0) return null
  return (
    <nav class="tag-row" aria-label="Tags">
      {tags.value.map(({ tag: each, count }) => (
        <a
          key={each}
          class="tag"
          href={hrefOf(['lists'], { show, tag: each === tag ? undefined : each })}
          aria-current={each === tag ? 'true' : undefined}
        >
          <bdi>{plain(each)}</bdi> <span class="soft">{count}</span>
        </a>
      ))}
    </nav>
  )
}

function AddForm({ tag, doing, onAdd }: { tag: string | undefined; doing: Doing; onAdd: Run }) {
  const api = useApi()
  const text = useRef<HTMLInputElement>(null)
  const tags = useRef<HTMLInputElement>(null)
  const add = async () => {
    const given = text.current?.value.trim() ?? ''
    const words = tagsOf(tags.current?.value ?? '')
    const isDone = await onAdd('Added.', () => api.addListTask(given, words))
    if (!isDone || !text.current) return
    text.current.value = ''
    text.current.focus()
  }
  return (
    <form
      class="filters add"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <label class="wide">
        <span>New task</span>
        <input
          ref={text}
          data-search
          required
          maxLength={20_000}
          placeholder="What is to be done?"
        />
      </label>
      <label>
        <span>Tags</span>
        <input ref={tags} key={tag} defaultValue={tag ?? ''} placeholder="errand, home" />
      </label>
      <button type="submit" class="main" disabled={doing.isBusy}>
        Add
      </button>
    </form>
  )
}

function Todo({ task, onRun }: { task: ListTask; onRun: Run }) {
  const api = useApi()
  const turn = () =>
    onRun(task.done ? 'It is to be done again.' : 'Done.', () =>
      api.editListTask(task, { done: !task.done }),
    )
  const remove = () => onRun('Deleted.', () => api.deleteListTask(task))
  const [isEditing, setEditing] = useState(false)
  const named = plain(task.text.slice(0, 60))
  return (
    <>
      <label class={task.done ? 'todo-text is-done' : 'todo-text'}>
        <input type="checkbox" checked={task.done} onChange={() => void turn()} />
        <LongText text={task.text} max={500} />
      </label>
      <span class="todo-tags">
        {task.tags.map((tag) => (
          <button key={tag} type="button" class="tag" onClick={() => go(['lists'], { tag })}>
            <bdi>{plain(tag)}</bdi>
          </button>
        ))}
      </span>
      <span class="soft small todo-age">
        <Ago time={task.created} />
      </span>
      <span class="todo-buttons">
        <button
          type="button"
          class="link"
          aria-label={`Edit ${named}`}
          onClick={() => setEditing(true)}
        >
          edit
        </button>
        <button
          type="button"
          class="link"
          aria-label={`Delete ${named}`}
          onClick={() => void remove()}
        >
          delete
        </button>
      </span>
      {isEditing && (
        <EditForm
          task={task}
          onDone={() => void onRun('Changed.', async () => setEditing(false))}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}
