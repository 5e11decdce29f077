import { type Task, TaskList } from '../list/internal.ts'
import { flag, optional, required, text } from '../schema/index.ts'
import { limit, shownDefault, texts } from './schema.ts'
import { clipped, cut, stated } from './short.ts'
import { type Tool, tool } from './tool.ts'

/** Enough of an id to name it; it has 128 digits. */
const idLength = 16

const row = ({ id, text: words, done, tags }: Task) =>
  stated({ id: id.slice(0, idLength), text: clipped(words), done: done || null, tags })

const listShow = tool({
  name: 'list_show',
  title: 'Show the list',
  description:
    "A person's tagged tasks, oldest first; what is still to be done if not told otherwise.",
  input: {
    any: optional(texts, 'With at least one of these tags.'),
    all: optional(texts, 'With all of these tags.'),
    done: optional(flag, 'True for what is done.'),
    limit,
  },
  role: 'read',
  async run({ store }, { any = [], all = [], done = false, limit: most = shownDefault }) {
    const tasks = await new TaskList(store).query({ any, all, done })
    return cut('tasks', tasks.slice(0, most).map(row), tasks.length)
  },
})

const listAdd = tool({
  name: 'list_add',
  title: 'Add to the list',
  description: 'Adds a task. An open one with the same text is given back instead.',
  input: {
    text: required(text, 'What there is to do.'),
    tags: optional(texts, 'Words to find it by.'),
  },
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

const listChange = tool({
  name: 'list_change',
  title: 'Change a task of the list',
  description: 'Marks a task as done or not, or changes its text or tags.',
  input: {
    id: required(text, 'The id, or enough of its start.'),
    text: optional(text, 'The new text.'),
    done: optional(flag, 'Whether it is done.'),
    add_tags: optional(texts, 'Tags to add.'),
    remove_tags: optional(texts, 'Tags to take away.'),
  },
  role: 'work',
  async run({ store, did }, { id, text: words, done, add_tags: add, remove_tags: remove }) {
    const tags = add || remove ? { add, remove } : undefined
    const { task, changed } = await new TaskList(store).edit(id, { text: words, done, tags })
    if (changed) did?.({ id: task.id })
    return { changed, ...row(task) }
  },
})

export const listTools: readonly Tool[] = [listShow, listAdd, listChange]
