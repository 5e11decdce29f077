import { jsonCodec } from '../collection/index.ts'
import { isStatus, type Status } from './status.ts'

/** Every kind of work. */
export const taskTypes = ['task', 'feature', 'bug', 'epic'] as const
/** What kind of work a task is. */
export type TaskType = (typeof taskTypes)[number]

/** The least urgent priority. */
export const priorityMax = 4

/** A task as users see it. Times are RFC 3339, UTC. */
export interface Task {
  /** A UUID that grows with time. */
  readonly id: string
  /** The task it is a part of, if any. */
  readonly parent_id: string | null
  /** How many ancestors it has, as the chain of parents said when it was read. */
  readonly depth: number
  /** In a few words. */
  readonly title: string
  /** In more. */
  readonly body: string | null
  /** What kind of work it is. */
  readonly type: TaskType
  /** How far it is. */
  readonly status: Status
  /** 0 is the most urgent, 4 the least. */
  readonly priority: number
  /** The agent that has it, or had it when it was completed; null where nobody does. */
  readonly claimed_by: string | null
  /** When it was claimed; RFC 3339. */
  readonly claimed_at: string | null
  /** What to work on it with, if somebody said so. */
  readonly grimoire_hint: string | null
  /** What was selected when it was last claimed. */
  readonly grimoire: string | null
  /** Words to find and route it by. */
  readonly tags: readonly string[]
  /** When it was created; RFC 3339. */
  readonly created_at: string
  /** When it changed last; RFC 3339. */
  readonly updated_at: string
  /** Set by retention; such a task is found by its id, and hidden from lists. */
  readonly deleted_at: string | null
}

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
export interface TaskDocument extends Omit<Task, 'depth'> {
  /** Here, so that the history tells it without a document of its own; null where an older version did not keep it. */
  readonly created_by: string | null
  readonly change: Change
  /** Which deletion took it, and with it all that is below; for readers all of them are gone. */
  readonly doomed: string | null
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
  const document = parsed as TaskDocument
  const flaw = flawOf(document, id)
  if (flaw !== null) throw new Error(flaw)
  const { change, created_by } = document
  const known = change.n === 0 ? change.by : null
  return { ...document, created_by: typeof created_by === 'string' ? created_by : known }
})

export const taskCodec = {
  ...decoded,
  encode: ({ previous: _, ...stored }: TaskDocument) => decoded.encode(stored),
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
/** As we write them; anything else is looked at more closely, which takes longer. */
const usualTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && (usualTime.test(value) || Number.isFinite(Date.parse(value)))

const texts = ['parent_id', 'body', 'claimed_by', 'grimoire_hint', 'grimoire', 'doomed'] as const

/** What keeps this from being a task, or null. */
function flawOf(given: TaskDocument, id: string): string | null {
  if (typeof given !== 'object' || given === null) return 'it is no object'
  if (given.id !== id) return `its id is ${JSON.stringify(given.id)}`
  if (typeof given.title !== 'string') return 'it has no title'
  if (!isStatus(given.status)) return `its status is ${JSON.stringify(given.status)}`
  if (!taskTypes.includes(given.type)) return `its type is ${JSON.stringify(given.type)}`
  if (!Number.isInteger(given.priority) || given.priority < 0 || given.priority > priorityMax)
    return `its priority is ${JSON.stringify(given.priority)}`
  const odd = texts.find((field) => !isTextOrNull(given[field]))
  if (odd) return `its ${odd} is no text`
  const untimely = (['created_at', 'updated_at'] as const).find((field) => !isTime(given[field]))
  if (untimely) return `its ${untimely} is no time`
  const moments = ['claimed_at', 'deleted_at'] as const
  const wrong = moments.find((field) => given[field] !== null && !isTime(given[field]))
  if (wrong) return `its ${wrong} is no time`
  if (!Array.isArray(given.tags) || given.tags.some((tag) => typeof tag !== 'string'))
    return 'its tags are no list of texts'
  const { change } = given
  if (typeof change !== 'object' || change === null || !Number.isSafeInteger(change.n))
    return 'its last change is missing'
  return Array.isArray(change.fields) ? null : 'its last change has no fields'
}
