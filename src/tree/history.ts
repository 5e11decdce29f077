import {
  commitInOrder,
  type DocumentMark,
  encodeText,
  type Index,
  jsonCodec,
  type Mark,
} from '../collection/index.ts'
import { compete, create, lost, remove, type Store, type Write } from '../store/internal.ts'
import { createdBy } from './fields.ts'
import { prefixes } from './keys.ts'
import type { Change, FieldChange, TaskDocument } from './task.ts'

/** One changed field, as users see it. */
export interface HistoryEntry extends FieldChange {
  /** The task that changed. */
  readonly task_id: string
  /** When; RFC 3339. */
  readonly changed_at: string
  /** The agent that changed it. */
  readonly changed_by: string
}

const codec = jsonCodec<Change>((parsed) => {
  const change = parsed as Change
  if (!Number.isSafeInteger(change?.n) || !Array.isArray(change.fields))
    throw new Error('it is no change')
  return change
})

const keyOf = (id: string, n: number): string =>
  `${prefixes.history}/${id}/${n.toString(16).padStart(8, '0')}`

/**
 * The past changes of tasks. A task carries its last change itself; the change before goes into the history
 * together with the swap that replaces it, or before that swap where the store has no transactions. It has
 * happened by then, so whoever writes it writes the same, and what stands goes only with the task. So the history
 * is complete whatever dies when: what is stored, and what the task carries.
 */
export class HistoryIndex implements Index<TaskDocument> {
  readonly prefix = prefixes.history

  marks(id: string, { previous }: TaskDocument): Iterable<Mark> {
    return previous && previous.fields.length > 0 ? [new ChangeMark(id, previous)] : []
  }

  /** No stored task says what its history was. */
  async missing<M extends DocumentMark>(): Promise<readonly M[]> {
    return []
  }

  async *standing(): AsyncGenerator<DocumentMark> {}
}

class ChangeMark implements Mark {
  readonly name: string
  readonly shared = null
  readonly #id: string
  readonly #change: Change

  constructor(id: string, change: Change) {
    this.#id = id
    this.name = keyOf(id, change.n)
    this.#change = change
  }

  async put(store: Store, expectAbsent: boolean): Promise<readonly Write[]> {
    const isThere = !expectAbsent && (await store.get(this.name)) !== null
    return isThere ? [] : [create(this.name, encodeText(JSON.stringify(this.#change)))]
  }

  /** Only of a task that is gone, for ids are not used again. */
  async drop(store: Store): Promise<readonly Write[]> {
    if ((await store.get(`${prefixes.tasks}/${this.#id}`)) !== null) return []
    const entry = await store.get(this.name)
    return entry ? [remove(entry)] : []
  }
}

/** All changes of a task in their order. Read the task first: what it carries may be stored by now. */
export async function changesOf(store: Store, { id, change }: TaskDocument): Promise<Change[]> {
  const changes: Change[] = []
  for await (const { key, value } of store.scan(`${prefixes.history}/${id}`)) {
    const stored = readable(value, key)
    if (stored && stored.n < change.n) changes.push(stored)
  }
  return [...changes, change]
}

/** One past change of a task; null where it changed no field. */
export async function changeOf(store: Store, task: TaskDocument, n: number) {
  if (task.change.n === n) return task.change
  const entry = await store.get(keyOf(task.id, n))
  return entry && readable(entry.value, entry.key)
}

/**
 * Whether a change has happened, though others have changed the task since. Without it a change whose answer was lost would
 * be made again, over what others made of the task meanwhile.
 */
export async function recalls(
  now: TaskDocument,
  { after: { change } }: { readonly after: TaskDocument },
  store: Store,
): Promise<boolean> {
  const made = now.change.n < change.n ? null : await changeOf(store, now, change.n)
  if (made?.by !== change.by || made.at !== change.at) return false
  return JSON.stringify(made.fields) === JSON.stringify(change.fields)
}

/** What one change tells, field by field. */
export const entriesOf = (taskId: string, { at, by, fields }: Change): HistoryEntry[] =>
  fields.map((field) => ({ task_id: taskId, ...field, changed_at: at, changed_by: by }))

/** What the first entry of a history tells: who created the task. None where that is not known. */
export const creationOf = ({ id, created_at, created_by }: TaskDocument): HistoryEntry[] =>
  created_by === null
    ? []
    : [
        {
          task_id: id,
          field: createdBy,
          old_value: '',
          new_value: created_by,
          changed_at: created_at,
          changed_by: created_by,
        },
      ]

/** Removes what is stored of the history of a task that is gone. */
export async function removeHistory(store: Store, id: string): Promise<void> {
  await compete(`the history of ${id}`, async () => {
    const writes: Write[] = []
    for await (const head of store.list(`${prefixes.history}/${id}`)) writes.push(remove(head))
    return (await commitInOrder(store, writes)) ? undefined : lost
  })
}

function readable(value: Uint8Array, key: string): Change | null {
  try {
    return codec.decode(value, key)
  } catch {
    return null
  }
}
