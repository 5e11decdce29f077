import { useEffect, useRef } from 'preact/hooks'
import { stateOf } from '../../../src/list/state.ts'
import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { go, hrefOf, type Route } from '../route.ts'
import { type Action, ActionButton, Outcome, useAction } from '../show/action.tsx'
import { useArrows } from '../show/arrows.ts'
import { Confirm } from '../show/confirm.tsx'
import { useDeliberate } from '../show/deliberate.ts'
import { useDialog } from '../show/dialog.tsx'
import { Empty, Shown } from '../show/notice.tsx'
import { LongText, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { Cut, ListTask } from '../source/api.ts'
import { EditForm, tagsOf } from './edit.tsx'

const doneWords = { open: false, done: true } as const

/** A person's own list: what is to do, by tags. */
export function Lists({ route }: { route: Route }) {
  const api = useApi()
  const { tag, show = 'open' } = route.query
  const done = doneWords[show as keyof typeof doneWords]
  const tasks = useReading(['list', { any: tag, done }], 'list', ([, filter], { signal }) =>
    api.listTasks(filter, signal),
  )
  const action = useAction(tasks, shownIn)
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
      <AddForm tag={tag} action={action} />
      <Outcome action={action} />
      <Shown reading={tasks} what="the list">
        {({ items, total }) => (
          <>
            <Todos items={items} action={action} />
            {items.length === 0 && (
              <Empty
                title={
                  show === 'done'
                    ? 'No done tasks.'
                    : show === 'open'
                      ? 'No open tasks.'
                      : 'No tasks yet.'
                }
              >
                Add one above, or with <code>ut add</code>.
              </Empty>
            )}
            {items.length < total && (
              <p class="soft small">
                {items.length} of {total} tasks. Choose a tag to narrow the list.
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

function Todos({ items, action }: { items: readonly ListTask[]; action: Action }) {
  const list = useArrows<HTMLUListElement>('tasks')
  return (
    <ul class="todo" ref={list}>
      {items.map((task, at) => (
        <li key={task.id} data-row={task.id}>
          <Todo task={task} at={at} action={action} />
        </li>
      ))}
    </ul>
  )
}

function shownIn({ items }: Cut<ListTask>, id: string): string | null {
  const task = items.find((each) => each.id === id)
  return task ? stateOf(task) : null
}

const named = ({ text }: ListTask): string =>
  plain(text.length > namedMax ? `${text.slice(0, namedMax)}…` : text)

const namedMax = 60

/** What was done to a task, and the state that it is in now. */
const done = (words: (name: string) => string) => (task: ListTask) => ({
  words: words(`“${named(task)}”`),
  id: task.id,
  state: stateOf(task),
})

function Tags({ tag, show }: { tag: string | undefined; show: string }) {
  const api = useApi()
  const tags = useReading(['list tags'], 'list', (_, { signal }) => api.listTags(signal))
  return tags.value && tags.value.length > 0 ? (
    <TagRow tags={tags.value} tag={tag} show={show} />
  ) : null
}

function TagRow({ tags, tag, show }: TagRowProps) {
  const row = useArrows<HTMLElement>('tags')
  return (
    <nav class="tag-row" aria-label="Tags" ref={row}>
      {tags.map(({ tag: each, count }) => (
        <a
          key={each}
          data-row={each}
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

interface TagRowProps {
  readonly tags: readonly { readonly tag: string; readonly count: number }[]
  readonly tag: string | undefined
  readonly show: string
}

function AddForm({ tag, action }: { tag: string | undefined; action: Action }) {
  const api = useApi()
  const text = useRef<HTMLInputElement>(null)
  const tags = useRef<HTMLInputElement>(null)
  useFollowed(tags, tag ?? '')
  const add = async () => {
    const given = text.current?.value.trim() ?? ''
    const words = tagsOf(tags.current?.value ?? '')
    const isDone = await action.run(() =>
      api.addListTask(given, words).then(done((name) => `Added ${name}.`)),
    )
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
        <input ref={text} data-search required maxLength={20_000} placeholder="What needs doing?" />
      </label>
      <label>
        <span>Tags</span>
        <input ref={tags} defaultValue={tag ?? ''} placeholder="errand, home" />
      </label>
      <button type="submit" class="main" disabled={action.isBusy}>
        Add
      </button>
    </form>
  )
}

/** A control that shows a value for as long as nobody has typed another. */
function useFollowed(control: { readonly current: HTMLInputElement | null }, value: string): void {
  const before = useRef(value)
  useEffect(() => {
    if (control.current?.value === before.current) control.current.value = value
    before.current = value
  }, [control, value])
}

/** A task at its place in the list: another one may have come to where this one was. */
function Todo({ task, at, action }: { task: ListTask; at: number; action: Action }) {
  const api = useApi()
  // Several may be under way at a time.
  const tied = { action: { ...action, isBusy: false }, on: `${stateOf(task)} ${at}` }
  const { press, props } = useDeliberate(tied.on, action.tooSoon)
  const turn = () => {
    const words = task.done ? 'is open again' : 'is done'
    const turned = done((name) => `${name} ${words}.`)
    void action.run(() => api.editListTask(task, { done: !task.done }).then(turned))
  }
  return (
    <>
      <label class={task.done ? 'todo-text is-done' : 'todo-text'}>
        <input
          type="checkbox"
          checked={task.done}
          {...props}
          onClick={(event) => press(event)}
          onChange={turn}
        />
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
      <TodoButtons task={task} tied={tied} />
    </>
  )
}

interface TodoButtonsProps {
  readonly task: ListTask
  readonly tied: { readonly action: Action; readonly on: string }
}

function TodoButtons({ task, tied }: TodoButtonsProps) {
  const api = useApi()
  const open = useDialog()
  const { action } = tied
  const remove = () =>
    open((close) => (
      <Confirm
        title="Delete this task?"
        button="Delete"
        run={() => api.deleteListTask(task)}
        onDone={() => {
          close()
          action.tell({ words: `Deleted “${named(task)}”.`, id: task.id, state: null })
        }}
        onClose={close}
      >
        “{named(task)}” is deleted for good.
      </Confirm>
    ))
  const edit = () =>
    open((close) => (
      <EditForm
        task={task}
        onDone={(after) => {
          close()
          action.tell(done((name) => `Saved ${name}.`)(after))
        }}
        onClose={close}
      />
    ))
  return (
    <span class="todo-buttons">
      <ActionButton {...tied} kind="link" label={`Edit ${named(task)}`} onPress={edit}>
        edit
      </ActionButton>
      {api.caller.role === 'admin' && (
        <ActionButton {...tied} kind="link" label={`Delete ${named(task)}`} onPress={remove}>
          delete
        </ActionButton>
      )}
    </span>
  )
}
