import { type Task, TaskList } from '../list/internal.ts'
import { flag, limit, object, shownDefault, text, texts } from './schema.ts'
import { clipped, cut, stated } from './short.ts'
import { type Tool, tool } from './tool.ts'

/** Enough of an id to name it; it has 128 digits. */
const idLength = 16

const row = ({ id, text: words, done, tags }: Task) =>
  stated({ id: id.slice(0, idLength), text: clipped(words), done: done || null, tags })

interface ShowGiven {
  readonly any?: readonly string[]
  readonly all?: readonly string[]
  readonly done?: boolean
  readonly limit?: number
}

const listShow = tool<ShowGiven>({
  name: 'list_show',
  title: 'Show the list',
  description:
    "A person's tagged tasks, oldest first; what is still to be done if not told otherwise.",
  input: object({
    any: texts('With at least one of these tags.'),
    all: texts('With all of these tags.'),
    done: flag('True for what is done.'),
    limit,
  }),
  role: 'read',
  async run({ store }, { any = [], all = [], done = false, limit: most = shownDefault }) {
    const tasks = await new TaskList(store).query({ any, all, done })
    return cut('tasks', tasks.slice(0, most).map(row), tasks.length)
  },
})

interface AddGiven {
  readonly text: string
  readonly tags?: readonly string[]
}

const listAdd = tool<AddGiven>({
  name: 'list_add',
  title: 'Add to the list',
  description: 'Adds a task. An open one with the same text is given back instead.',
  input: object({ text: text('What there is to do.'), tags: texts('Words to find it by.') }, [
    'text',
  ]),
  role: 'work',
  async run({ store, did }, { text: words, tags = [] }) {
    const tasks = new TaskList(store)
    const same = (await tasks.query({ done: false })).find((task) => task.text === words.trim())
    if (same) return { changed: false, ...row(same) }
    const task = await tasks.add(words, tags)
    did?.({ id: task.id })
    return { changed: true, ...row(task) }
  },
})

interface ChangeGiven {
  readonly id: string
  readonly text?: string
  readonly done?: boolean
  readonly add_tags?: readonly string[]
  readonly remove_tags?: readonly string[]
}

const listChange = tool<ChangeGiven>({
  name: 'list_change',
  title: 'Change a task of the list',
  description: 'Marks a task as done or not, or changes its text or tags.',
  input: object(
    {
      id: text('The id, or enough of its start.'),
      text: text('The new text.'),
      done: flag('Whether it is done.'),
      add_tags: texts('Tags to add.'),
      remove_tags: texts('Tags to take away.'),
    },
    ['id'],
  ),
  role: 'work',
  async run({ store, did }, { id, text: words, done, add_tags: add, remove_tags: remove }) {
    const tags = add || remove ? { add, remove } : undefined
    const { task, changed } = await new TaskList(store).edit(id, { text: words, done, tags })
    if (changed) did?.({ id: task.id })
    return { changed, ...row(task) }
  },
})

export const listTools: readonly Tool[] = [listShow, listAdd, listChange]
