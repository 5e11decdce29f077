import { jsonCodec } from '../collection/index.ts'
import { type DocumentOf, documentIn } from '../schema/index.ts'
import { storedFields, type taskFields, type taskTypes } from './fields.ts'

export { priorityMax, taskTypes } from './fields.ts'

/** What kind of work a task is. */
export type TaskType = (typeof taskTypes)[number]

/** A task as users see it. Times are RFC 3339, UTC. */
export interface Task extends DocumentOf<typeof taskFields> {}

/** What a change did to one field. Values are texts, '' for nothing. */
export interface FieldChange {
  /** Which field. */
  readonly field: string
  /** What it was. */
  readonly old_value: string
  /** What it is since. */
  readonly new_value: string
  /** Why a status was changed, where that was said. */
  readonly reason?: string | undefined
  /** What was done, in short, where that was said. */
  readonly summary?: string | undefined
  /** What came of it, where that was said. */
  readonly result?: unknown
}

/** The changes of a task are numbered from 0, its creation. Some change no field, only the number. */
export interface Change {
  readonly n: number
  readonly at: string
  readonly by: string
  readonly fields: readonly FieldChange[]
  /** The structural change that made it, see `Structure`. */
  readonly via?: string
}

/**
 * A task as it is stored. It carries its last change: the swap of this document is what makes a change of
 * several fields, and of the history, happen at once.
 */
export interface TaskDocument extends DocumentOf<typeof storedFields> {
  /** Here, so that the history tells it without a document of its own; null where an older version did not keep it. */
  readonly created_by: string | null
  readonly change: Change
  /** The change before, while it is on its way into the history. It is not stored with the task. */
  readonly previous?: Change
}

/** What users see of a stored task that has so many ancestors. */
export function taskOf(document: TaskDocument, depth: number): Task {
  // Field by field: all tasks have one shape then, which is twice as fast, and one order of fields.
  return {
    id: document.id,
    parent_id: document.parent_id,
    depth,
    title: document.title,
    body: document.body,
    type: document.type,
    priority: document.priority,
    // A list of its own: what a user does to it must not reach the document.
    tags: [...document.tags],
    grimoire_hint: document.grimoire_hint,
    status: document.status,
    claimed_by: document.claimed_by,
    claimed_at: document.claimed_at,
    grimoire: document.grimoire,
    created_at: document.created_at,
    updated_at: document.updated_at,
    deleted_at: document.deleted_at,
  }
}

/** What a change says of a task beside the task: neither is a field that users see. */
interface Answered {
  readonly version: number
  readonly isChanged: boolean
}

const answers = new WeakMap<Task, Answered>()

/** The same for what a change answers with: somebody may ask for its version, and whether it changed anything. */
export function answeredTaskOf(document: TaskDocument, depth: number, isChanged: boolean): Task {
  const task = taskOf(document, depth)
  answers.set(task, { version: document.change.n, isChanged })
  return task
}

/** The answer of a change with more to say. */
export function answeredWith<More extends object>(
  task: Task,
  more: More,
  isChanged: boolean,
): Task & More {
  const answer = { ...task, ...more }
  const version = versionOf(task)
  if (version !== undefined) answers.set(answer, { version, isChanged })
  return answer
}

/** The version in which a change has left a task, by the very task that it answered with; undefined for any other. */
export const versionOf = (task: Task): number | undefined => answers.get(task)?.version

/**
 * Whether the call that answered with this very task changed it; false where the task already was as asked, by whoever's
 * change. Only the write itself can tell: a look before it may be out of date.
 */
export const isChanged = (task: Task): boolean => answers.get(task)?.isChanged ?? false

const decoded = jsonCodec<TaskDocument>((parsed, id) => {
  const document = documentIn(storedFields, parsed) as unknown as TaskDocument
  if (document.id !== id) throw new Error('its id is not that of its key')
  const { change, created_by } = document
  if (typeof change !== 'object' || change === null || !Number.isSafeInteger(change.n))
    throw new Error('its last change is missing')
  if (!Array.isArray(change.fields)) throw new Error('its last change has no fields')
  const known = change.n === 0 ? change.by : null
  return { ...document, created_by: typeof created_by === 'string' ? created_by : known }
})

export const taskCodec = {
  ...decoded,
  encode: ({ previous: _, ...stored }: TaskDocument) => decoded.encode(stored),
}
