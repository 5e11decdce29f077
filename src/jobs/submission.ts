import { type Collection, encodeText, pooled, shown } from '../collection/index.ts'
import {
  compete,
  create,
  type Entry,
  type Head,
  lost,
  remove,
  type Store,
  StoreError,
  update,
  type Write,
} from '../store/index.ts'
import { CorruptTaskError, TaskExistsError } from './error.ts'
import { byCreation, byStatus, idIn } from './indexes.ts'
import { idemKeyOf, taskKeyOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/** A task on its way in. */
export interface NewTask {
  readonly task: StoredTask
  /** Chosen by the caller, so that it may be taken. */
  readonly isIdGiven: boolean
}

/** What a submission knows of a new task while it tries. */
interface Draft extends NewTask {
  /** As it would be created now: with the id that its key stands for already, if it does. */
  wanted: StoredTask
  /** The entry of its key, where that stands without a task. */
  standing: Entry | null
  /** Whether an answer was lost, so that it may be there. */
  isDoubtful: boolean
  /** The id of its task, once there is one. */
  id: string | null
}

/** The task, the entry of its key, and one mark in each of two indexes. */
const writesPerTask = 4
const commitBytesMax = 4_000_000

/** How often to look again whether somebody else, who has the key, also brings its task. */
const patienceAttempts = 7
/** Who takes longer between key and task makes sure that the key still is its task's. */
const slowMs = 1_000

/**
 * Creates tasks, each once for its key. Where the store has transactions, the entry of the key, the task and its
 * marks are one commit. Elsewhere the entry comes first: who creates it has decided which id the key stands
 * for. Then come the marks, then the task. A crash in between leaves a key without a task; the next submission
 * with that key brings it, under the same id.
 */
export class Submitter {
  readonly #store: Store
  readonly #tasks: Collection<StoredTask>
  readonly #keyless: Collection<StoredTask>

  /** `keyless` are the same tasks without the index of their keys, which is written here. */
  constructor(
    store: Store,
    tasks: { all: Collection<StoredTask>; keyless: Collection<StoredTask> },
  ) {
    this.#store = store
    this.#tasks = tasks.all
    this.#keyless = tasks.keyless
  }

  /** The ids in the order of the tasks; those that have the same key have the same id. */
  async submit(tasks: readonly NewTask[], signal?: AbortSignal): Promise<string[]> {
    const drafts = draftsOf(tasks)
    const unique = [...new Set(drafts)]
    const batchTasksMax = Math.floor(this.#store.limits.commitWritesMax / writesPerTask)
    if (batchTasksMax > 0) await this.#atOnce(unique, batchTasksMax, signal)
    else {
      // All ids that are taken are found before anything is written.
      await pooled(unique, (draft) => this.#look(draft))
      await pooled(unique, (draft) => this.#inOrder(draft, signal))
    }
    return drafts.map(({ id }) => id as string)
  }

  /** Many tasks a commit; fewer each time that another submission came first. */
  #atOnce(drafts: readonly Draft[], batchTasksMax: number, signal?: AbortSignal): Promise<void> {
    const attempt = async (nth: number) => {
      const open = drafts.filter(({ id }) => id === null)
      await pooled(open, (draft) => this.#look(draft))
      let isLost = false
      for (const batch of batchesOf(open, Math.max(1, batchTasksMax >> (nth - 1)))) {
        signal?.throwIfAborted()
        if (!(await this.#createAll(batch, nth === 1))) isLost = true
      }
      return isLost ? lost : undefined
    }
    return compete(aboutKeys, attempt, { signal })
  }

  async #createAll(batch: readonly Draft[], expectAbsent: boolean): Promise<boolean> {
    const writes = await pooled(batch, (draft) => this.#writesOf(draft, expectAbsent))
    const result = await this.#commit(batch, writes.flat())
    if (result) for (const draft of batch) draft.id = draft.wanted.id
    return result !== null
  }

  async #writesOf({ wanted, standing }: Draft, expectAbsent: boolean): Promise<Write[]> {
    const marks = [byCreation, byStatus].flatMap((index) => [...index.marks(wanted.id, wanted)])
    const puts = await Promise.all(marks.map((mark) => mark.put(this.#store, expectAbsent)))
    const task = create(taskKeyOf(wanted.id), bytesOf(wanted))
    return [...keyWrites(wanted, standing), ...puts.flat(), task]
  }

  #inOrder(draft: Draft, signal?: AbortSignal): Promise<void> {
    const attempt = async (nth: number) => {
      if (nth > 1) await this.#look(draft)
      if (draft.id !== null) return undefined
      const { wanted, standing } = draft
      const isOthers = standing !== null && wanted.id !== draft.task.id
      // Most likely it is just being brought.
      if (isOthers && nth <= patienceAttempts) return lost
      const startedAt = performance.now()
      const head = await this.#takeKey(draft)
      if (head === lost) return lost
      if (!(await this.#keyless.create(wanted.id, wanted))) return this.#overtaken(draft, head)
      const isLate = isOthers || performance.now() - startedAt > slowMs
      if (isLate && head && !(await this.#confirm(draft, head))) return lost
      draft.id = wanted.id
      return undefined
    }
    return compete(aboutKeys, attempt, { signal })
  }

  /** Makes the key stand, in a state that only we have seen; null where there is none. */
  async #takeKey(draft: Draft): Promise<Head | null | typeof lost> {
    const [write] = keyWrites(draft.wanted, draft.standing)
    if (!write) return null
    const revisions = await this.#commit([draft], [write])
    return revisions ? { key: write.key, revision: revisions[0] as string } : lost
  }

  /** Somebody else has created a task with this id, after we looked. */
  async #overtaken(draft: Draft, head: Head | null): Promise<undefined | typeof lost> {
    const { id, idempotencyKey } = draft.wanted
    if (head === null) throw new TaskExistsError(id)
    const document = await this.#tasks.get(id)
    if (document === null) return lost
    if (document.value.idempotencyKey !== idempotencyKey) {
      await this.#store.commit([remove(head)])
      throw new TaskExistsError(id)
    }
    draft.id = id
    return undefined
  }

  /**
   * While the key stood without a task, `repair` may have taken it for a leftover, or others may have brought,
   * finished and deleted the task before us. Writing the entry anew defeats a removal that is on its way.
   */
  async #confirm({ wanted }: Draft, head: Head): Promise<boolean> {
    const bytes = encodeText(wanted.id)
    if ((await this.#store.commit([update(head, bytes)])).ok) return true
    const entry = await this.#store.get(head.key)
    if (entry) {
      if (idIn(entry) === wanted.id) return true
    } else if ((await this.#store.commit([create(head.key, bytes)])).ok) return true
    // The key has become another task's. Ours goes, unless a worker has it already.
    const refusal = new TaskExistsError(wanted.id)
    await this.#tasks
      .delete(wanted.id, ({ attempts }) => {
        if (attempts > 0) throw refusal
      })
      .catch((error: unknown) => {
        if (error !== refusal) throw error
      })
    return false
  }

  /** Finds the task that is there already; notes a key that stands without one. */
  async #look(draft: Draft): Promise<void> {
    const { task, isIdGiven, isDoubtful } = draft
    const key = task.idempotencyKey
    draft.wanted = task
    draft.standing = key === null ? null : await this.#store.get(idemKeyOf(key))
    if (key !== null && draft.standing) await this.#lookBehind(draft, draft.standing, key)
    // Nobody else has an id that was made here.
    else if (isIdGiven || isDoubtful) await this.#checkFree(draft)
  }

  async #lookBehind(draft: Draft, entry: Entry, key: string): Promise<void> {
    const id = checkedIdIn(entry)
    const document = await this.#tasks.get(id)
    if (document) checkSameKey(document.value, key)
    if (document) draft.id = id
    else draft.wanted = { ...draft.task, id }
  }

  async #checkFree(draft: Draft): Promise<void> {
    const entry = await this.#store.get(taskKeyOf(draft.task.id))
    if (entry === null) return
    const isOurs = draft.isDoubtful && Buffer.compare(entry.value, bytesOf(draft.task)) === 0
    if (!isOurs) throw new TaskExistsError(draft.task.id)
    draft.id = draft.task.id
  }

  /** The revisions; null where it lost, or may have. A second lost answer is told to the caller. */
  async #commit(drafts: readonly Draft[], writes: readonly Write[]) {
    try {
      const result = await this.#store.commit(writes)
      return result.ok ? result.revisions : null
    } catch (error) {
      const isUnknown = error instanceof StoreError && error.code === 'unknown_outcome'
      if (!isUnknown || drafts.some(({ isDoubtful }) => isDoubtful)) throw error
      for (const draft of drafts) draft.isDoubtful = true
      return null
    }
  }
}

const aboutKeys = 'the idempotency keys that were submitted'

/** The id that the entry of a key holds. Throws {@link CorruptTaskError} where it holds none. */
export function checkedIdIn(entry: Entry): string {
  const id = idIn(entry)
  if (id !== null) return id
  const what = `What is stored at ${entry.key} is not the id of a task.`
  throw new CorruptTaskError('', what, { next: 'Remove it from the store, and the key is free.' })
}

/** Throws {@link CorruptTaskError} where the entry of a key names a task that has another one. */
export function checkSameKey({ id, idempotencyKey }: StoredTask, key: string): void {
  if (idempotencyKey === key) return
  const has = idempotencyKey === null ? 'none' : shown(idempotencyKey)
  throw new CorruptTaskError(
    id,
    `The idempotency key ${shown(key)} stands for task ${id}, which has ${has}.`,
  )
}

function keyWrites({ id, idempotencyKey }: StoredTask, standing: Entry | null): Write[] {
  if (idempotencyKey === null) return []
  return [
    standing ? update(standing, standing.value) : create(idemKeyOf(idempotencyKey), encodeText(id)),
  ]
}

const bytesOf = (task: StoredTask): Uint8Array => encodeText(JSON.stringify(task))

/** One for each task, the same for those that share a key. Throws where two are to have the same id. */
function draftsOf(tasks: readonly NewTask[]): Draft[] {
  const byKey = new Map<string, Draft>()
  const ids = new Set<string>()
  return tasks.map(({ task, isIdGiven }) => {
    const key = task.idempotencyKey
    const known = key === null ? undefined : byKey.get(key)
    if (known) return known
    if (ids.has(task.id)) throw new TaskExistsError(task.id)
    ids.add(task.id)
    const draft = { task, isIdGiven, wanted: task, standing: null, isDoubtful: false, id: null }
    if (key !== null) byKey.set(key, draft)
    return draft
  })
}

function* batchesOf(drafts: readonly Draft[], tasksMax: number): Generator<Draft[]> {
  let batch: Draft[] = []
  let bytes = 0
  for (const draft of drafts) {
    if (draft.id !== null) continue
    const own = draft.task.payload.length
    if (batch.length === tasksMax || (batch.length > 0 && bytes + own > commitBytesMax)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(draft)
    bytes += own
  }
  if (batch.length > 0) yield batch
}
