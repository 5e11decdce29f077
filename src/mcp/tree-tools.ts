import {
  priorityMax,
  type Status,
  statuses,
  type Task,
  TaskTree,
  type TaskType,
  taskTypes,
} from '../tree/internal.ts'
import { flag, limit, object, oneOf, shownDefault, text, texts } from './schema.ts'
import { clipped, cut, shownWhole, stated } from './short.ts'
import { actingAs, type Tool, tool, type Workplace } from './tool.ts'
import { type Act, act, actions } from './tree-actions.ts'

const priority = {
  type: 'integer',
  minimum: 0,
  maximum: priorityMax,
  description: '0 is the most urgent, 4 the least; 2 if left out.',
}

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

interface ListGiven {
  readonly status?: readonly Status[]
  readonly tags?: readonly string[]
  readonly parent_id?: string
  readonly limit?: number
}

const treeList = tool<ListGiven>({
  name: 'tree_list',
  title: 'List tasks of the shared tree',
  description:
    'Tasks that agents share. Without a status: those that somebody can start now, the most urgent first.',
  input: object({
    status: { ...texts('Only with one of these.'), items: { enum: statuses } },
    tags: texts('Only with one of these tags.'),
    parent_id: text('Only right below this task.'),
    limit,
  }),
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

const treeShow = tool<{ id: string }>({
  name: 'tree_show',
  title: 'Show a task of the shared tree',
  description:
    'A task with all of its text, where it stands in the tree, and what happened to it last.',
  input: object({ id: text('The id, or enough of its start.') }, ['id']),
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

interface CreateGiven {
  readonly title: string
  readonly body?: string
  readonly type?: TaskType
  readonly priority?: number
  readonly parent_id?: string
  readonly tags?: readonly string[]
  readonly grimoire_hint?: string
  readonly agent?: string
}

const agent = text('Who you are; what this server was told if left out.')

/** How many open tasks are looked at for one with the same title. */
const comparedMax = 1000

const treeCreate = tool<CreateGiven>({
  name: 'tree_create',
  title: 'Create a task in the shared tree',
  description:
    'Creates a task, below another one if a parent is named. An open one with the same title there is given back instead.',
  input: object(
    {
      title: text('One line.'),
      body: text('What is to be done, and how one can tell that it is.'),
      type: oneOf(taskTypes, 'task if left out.'),
      priority,
      parent_id: text('The whole id of the task that this is a part of.'),
      tags: texts('Words to find and route it by.'),
      grimoire_hint: text('The procedure to follow, if it must be a certain one.'),
      agent,
    },
    ['title'],
  ),
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

async function sameAs(tree: TaskTree, given: CreateGiven): Promise<Task | undefined> {
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

interface ChangeGiven extends Act {
  readonly agent?: string
}

const treeChange = tool<ChangeGiven>({
  name: 'tree_change',
  title: 'Claim, finish or change a task of the shared tree',
  description:
    'Claim before you work: with claim and no id you get the most urgent task that is free. Then complete it, block it with a reason, or release it. Restore brings back a task that was hidden, with all that was hidden together with it. Asking for what is so already changes nothing.',
  input: object(
    {
      action: oneOf(actions, 'What to do.'),
      id: text('The id, or enough of its start; may be left out to claim any.'),
      note: text('complete: a summary. block, reject: the reason.'),
      skip_review: flag('complete: whether nobody needs to approve it.'),
      title: text('update: the new title.'),
      body: text('update: the new text.'),
      priority,
      add_tags: texts('claim, update: tags to add.'),
      remove_tags: texts('update: tags to take away.'),
      agent,
    },
    ['action'],
  ),
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
