import { type Given, oneOf, optional, required, text } from '../schema/index.ts'
import { statuses, type Task, TaskTree, taskTypes } from '../tree/internal.ts'
import { limit, shownDefault, texts, words } from './schema.ts'
import { clipped, cut, shownWhole, stated } from './short.ts'
import { actingAs, type Tool, tool, type Workplace } from './tool.ts'
import { act, change, priority } from './tree-actions.ts'

const treeOf = ({ store, selectGrimoire }: Workplace): TaskTree =>
  new TaskTree(store, { selectGrimoire })

/** A task in a list. */
const row = ({ id, title, status, priority: urgency, type, tags, claimed_by }: Task) =>
  stated({ id, title: clipped(title), status, priority: urgency, type, tags, claimed_by })

/** A task by itself. */
const whole = (task: Task) => {
  const { body, parent_id, grimoire_hint, grimoire } = task
  const long = body === null ? null : clipped(body, shownWhole)
  return stated({ ...row(task), body: long, parent_id, grimoire_hint, grimoire })
}

const treeList = tool({
  name: 'tree_list',
  title: 'List tasks of the shared tree',
  description:
    'Tasks that agents share. Without a status: those that somebody can start now, the most urgent first.',
  input: {
    status: optional(words(statuses), 'Only with one of these.'),
    tags: optional(texts, 'Only with one of these tags.'),
    parent_id: optional(text, 'Only right below this task.'),
    limit,
  },
  role: 'read',
  async run(workplace, { status, tags: tag, parent_id, limit: most = shownDefault }) {
    const query = { status, tag, parent_id: parent_id === undefined ? undefined : [parent_id] }
    const tree = treeOf(workplace)
    const page = { ...query, limit: most }
    if (status !== undefined) {
      const { tasks, total } = await tree.list(page)
      return cut('tasks', tasks.map(row), total)
    }
    const { tasks, hasMore } = await tree.ready(page)
    return { ready: tasks.map(row), ...(hasMore ? { more: true } : {}) }
  },
})

/** How many of the newest changes are shown. */
const changesShown = 10

const treeShow = tool({
  name: 'tree_show',
  title: 'Show a task of the shared tree',
  description:
    'A task with all of its text, where it stands in the tree, and what happened to it last.',
  input: { id: required(text, 'The id, or enough of its start.') },
  role: 'read',
  async run(workplace, { id: given }) {
    const tree = treeOf(workplace)
    const id = await tree.resolve(given)
    const [task, above, below, history] = await Promise.all([
      tree.get(id),
      tree.ancestors(id),
      tree.children(id),
      tree.history(id),
    ])
    const changes = history
      .slice(0, changesShown)
      .map(({ field, new_value, changed_by, changed_at }) => ({
        at: changed_at,
        by: changed_by,
        [field]: clipped(new_value),
      }))
    return {
      ...whole(task),
      above: above.map(({ id: each, title }) => ({ id: each, title: clipped(title) })),
      ...cut('children', below.slice(0, shownDefault).map(row), below.length),
      ...cut('history', changes, history.length),
    }
  },
})

const agent = optional(text, 'Who you are; what this server was told if left out.')

/** How many open tasks are looked at for one with the same title. */
const comparedMax = 1000

const newTask = {
  title: required(text, 'One line.'),
  body: optional(text, 'What is to be done, and how one can tell that it is.'),
  type: optional(oneOf(taskTypes), 'task if left out.'),
  priority,
  parent_id: optional(text, 'The whole id of the task that this is a part of.'),
  tags: optional(texts, 'Words to find and route it by.'),
  grimoire_hint: optional(text, 'The procedure to follow, if it must be a certain one.'),
}

const treeCreate = tool({
  name: 'tree_create',
  title: 'Create a task in the shared tree',
  description:
    'Creates a task, below another one if a parent is named. An open one with the same title there is given back instead.',
  input: { ...newTask, agent },
  role: 'work',
  async run(workplace, { agent, ...given }) {
    const by = actingAs(workplace, agent)
    const tree = treeOf(workplace)
    const same = await sameAs(tree, given)
    if (same) return { changed: false, ...whole(same) }
    const task = await tree.create(given, by)
    workplace.did?.({ id: task.id })
    return { changed: true, ...whole(task) }
  },
})

async function sameAs(tree: TaskTree, given: Given<typeof newTask>): Promise<Task | undefined> {
  const { parent_id, priority: urgency, title } = given
  const candidates =
    parent_id === undefined
      ? (await tree.open({ priority: [urgency ?? 2], limit: comparedMax })).tasks
      : await tree.children(parent_id).catch(() => [])
  return candidates.find(
    (task) =>
      task.status === 'open' &&
      task.title === title.trim() &&
      task.parent_id === (parent_id?.toLowerCase() ?? null),
  )
}

const treeChange = tool({
  name: 'tree_change',
  title: 'Claim, finish or change a task of the shared tree',
  description:
    'Claim before you work: with claim and no id you get the most urgent task that is free. Then complete it, block it with a reason, or release it. Restore brings back a task that was hidden, with all that was hidden together with it. Asking for what is so already changes nothing.',
  input: { ...change, agent },
  role: 'work',
  async run(workplace, { agent, ...given }) {
    const outcome = await act(treeOf(workplace), given, actingAs(workplace, agent))
    if (outcome === null) return { changed: false, ready: [], next: 'Nothing is free. Try later.' }
    const { task, changed, restored } = outcome
    if (changed) workplace.did?.({ id: task.id, change: given.action })
    return { changed, ...(restored === undefined ? {} : { restored }), ...whole(task) }
  },
})

export const treeTools: readonly Tool[] = [treeList, treeShow, treeCreate, treeChange]
