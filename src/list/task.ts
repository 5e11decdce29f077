import { inTurns, jsonCodec, sortedInTurns } from '../collection/index.ts'
import { type DocumentOf, documentIn, objectIn } from '../schema/index.ts'
import { taskFields } from './fields.ts'
import { normalizedTag, tagBytesMax, tagCharactersMax } from './tags.ts'

/** A task of the list. */
export interface Task extends DocumentOf<typeof taskFields> {}

/** What to make of a task; what is left out stays. */
export interface TaskEdit {
  /** A new text. */
  readonly text?: string | undefined
  /** Whether it is done. */
  readonly done?: boolean | undefined
  /** All tags anew, or some more and some less. */
  readonly tags?: readonly string[] | TagEdit | undefined
}

/** Some tags more, some less; what is in neither stays. */
export interface TagEdit {
  /** Tags to put on it. */
  readonly add?: readonly string[] | undefined
  /** Tags to take off it. */
  readonly remove?: readonly string[] | undefined
}

/** Which tasks to give: with any of some tags, with all of some, done or open. All that is given must hold. */
export interface TaskFilter {
  /** Tasks with at least one of these tags. */
  readonly any?: readonly string[] | undefined
  /** Tasks with all of these tags. */
  readonly all?: readonly string[] | undefined
  /** Only what is done, or only what is not. */
  readonly done?: boolean | undefined
}

/** The task after an edit; the very same object where nothing changes. */
export function edited(task: Task, { text, done, tags }: TaskEdit): Task {
  const next = {
    ...task,
    text: text ?? task.text,
    done: done ?? task.done,
    tags: tags === undefined ? task.tags : tagsAfter(task.tags, tags),
  }
  const isSame =
    next.text === task.text && next.done === task.done && areEqual(next.tags, task.tags)
  return isSame ? task : next
}

function tagsAfter(tags: readonly string[], edit: readonly string[] | TagEdit): readonly string[] {
  if (isList(edit)) return edit
  const { add = [], remove = [] } = edit
  return [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag))
}

export const isList = (tags: readonly string[] | TagEdit): tags is readonly string[] =>
  Array.isArray(tags)

const areEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag, at) => tag === b[at])

export function matches(task: Task, { any = [], all = [], done }: TaskFilter): boolean {
  if (done !== undefined && task.done !== done) return false
  if (any.length > 0 && !any.some((tag) => task.tags.includes(tag))) return false
  return all.every((tag) => task.tags.includes(tag))
}

/** By time, then by id. */
export async function inOrder(tasks: readonly Task[]): Promise<Task[]> {
  const timed: { task: Task; ms: number }[] = []
  await inTurns(tasks, (task) => timed.push({ task, ms: Date.parse(task.created) }))
  const sorted = await sortedInTurns(
    timed,
    (a, b) => a.ms - b.ms || (a.task.id < b.task.id ? -1 : a.task.id > b.task.id ? 1 : 0),
  )
  return sorted.map(({ task }) => task)
}

/** Tags of other programs may look otherwise than ours, but must fit into a key. */
const isStorable = (tag: string): boolean =>
  tag !== '' &&
  tag.isWellFormed() &&
  [...tag].length <= tagCharactersMax &&
  Buffer.byteLength(tag) <= tagBytesMax

/** Fields that another program added are kept. */
export const taskCodec = jsonCodec<Task>((parsed, id) => {
  const given = objectIn(parsed)
  const task = documentIn(taskFields, { ...given, tags: given['tags'] ?? [] })
  if (task.id !== id) throw new Error('its id is not that of its key')
  return { ...task, tags: tagsIn(task.tags) }
})

/** Each once, and in lower case, however another program wrote them. */
function tagsIn(stored: readonly string[]): string[] {
  const tags = [...new Set(stored.map(normalizedTag))]
  if (!tags.every(isStorable)) throw new Error('a tag of it is empty or too long')
  return tags
}
