import { type Collection, encodeText, pooled } from '../collection/index.ts'
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
} from '../store/internal.ts'
import {
  batchesOf,
  type Draft,
  draftsOf,
  isOurs,
  type NewTask,
  type Submitted,
  toldOf,
} from './draft.ts'
import { TaskExistsError } from './error.ts'
import { checkedIdIn, checkSameKey, keyWrites } from './key-entry.ts'
import { KeyHolder, marksOf } from './key-holder.ts'
import { idemKeyOf, taskKeyOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/** The task, the entry of its key, and one mark in each of two indexes. */
const writesPerTask = 4

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
  readonly #keys: KeyHolder

  /** `keyless` are the same tasks without the index of their keys, which is written here. */
  constructor(
    store: Store,
    tasks: { all: Collection<StoredTask>; keyless: Collection<StoredTask> },
  ) {
    this.#store = store
    this.#tasks = tasks.all
    this.#keyless = tasks.keyless
    this.#keys = new KeyHolder(store, tasks.all)
  }

  /** In the order of the tasks; of those that have the same key, the first may be new. */
  async submit(tasks: readonly NewTask[], signal?: AbortSignal): Promise<Submitted[]> {
    const drafts = draftsOf(tasks)
    const unique = [...new Set(drafts)]
    try {
      await this.#bring(unique, signal)
    } catch (error) {
      throw signal?.aborted ? error : toldOf(error, unique)
    }
    const told = new Set<Draft>()
    return drafts.map((draft) => {
      const { task, isNew } = draft.end as Submitted
      const isFirst = !told.has(draft)
      told.add(draft)
      return { task, isNew: isNew && isFirst }
    })
  }

  async #bring(drafts: readonly Draft[], signal?: AbortSignal): Promise<void> {
    const batchTasksMax = Math.floor(this.#store.limits.commitWritesMax / writesPerTask)
    if (batchTasksMax > 0) return this.#atOnce(drafts, batchTasksMax, signal)
    // All ids that are taken are found before anything is written.
    await pooled(drafts, (draft) => this.#look(draft))
    await pooled(drafts, (draft) => this.#inOrder(draft, signal))
  }

  /** Many tasks a commit; fewer each time that another submission came first. */
  #atOnce(drafts: readonly Draft[], batchTasksMax: number, signal?: AbortSignal): Promise<void> {
    const attempt = async (nth: number) => {
      const open = drafts.filter(({ end }) => end === null)
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
    const result = await this.#commit(batch, writes.flat(), true)
    if (result) for (const draft of batch) draft.end = { task: draft.wanted, isNew: true }
    return result !== null
  }

  async #writesOf({ wanted, standing }: Draft, expectAbsent: boolean): Promise<Write[]> {
    const puts = await Promise.all(
      marksOf(wanted).map((mark) => mark.put(this.#store, expectAbsent)),
    )
    const task = create(taskKeyOf(wanted.id), bytesOf(wanted))
    return [...keyWrites(wanted, standing), ...puts.flat(), task]
  }

  #inOrder(draft: Draft, signal?: AbortSignal): Promise<void> {
    const attempt = async (nth: number) => {
      if (nth > 1) await this.#look(draft)
      if (draft.end !== null) return this.#recognised(draft)
      const { wanted, standing } = draft
      const isOthers = standing !== null && wanted.id !== draft.task.id
      // Most likely it is just being brought.
      if (isOthers && nth <= patienceAttempts) return lost
      const startedAt = performance.now()
      const head = await this.#takeKey(draft)
      if (head === lost) return lost
      const isCreated = await this.#create(draft)
      if (isCreated === null) return lost
      if (!isCreated) return this.#overtaken(draft, head)
      const isLate = isOthers || performance.now() - startedAt > slowMs
      if (head && !(await this.#confirm(draft, head, isLate))) return lost
      draft.end = { task: wanted, isNew: true }
      return undefined
    }
    return compete(aboutKeys, attempt, { signal })
  }

  /**
   * A creation whose answer was lost may have taken so long that its marks were taken for leftovers, or that others who
   * brought the task for its key have done and deleted it before, and the key with it.
   */
  async #recognised(draft: Draft): Promise<undefined | typeof lost> {
    const { end, doubt } = draft
    if (doubt === null || !end?.isNew) return undefined
    await this.#keys.putMarks(end.task)
    const key = end.task.idempotencyKey
    if (key === null || (await this.#keys.holds(idemKeyOf(key), end.task))) return undefined
    draft.isStored = false
    draft.doubtfulId = null
    draft.end = null
    return lost
  }

  /** False where the id is taken; null where only another look can tell. */
  async #create(draft: Draft): Promise<boolean | null> {
    try {
      const isCreated = await this.#keyless.createOnce(draft.wanted.id, draft.wanted)
      if (isCreated) draft.isStored = true
      return isCreated
    } catch (error) {
      doubt([draft], error, true)
      return null
    }
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
    // It may be our own creation, which came late.
    const isNew = draft.doubt !== null && isOurs(document.value, draft)
    draft.end = { task: document.value, isNew }
    return this.#recognised(draft)
  }

  /**
   * While the key stood without a task, others may have brought, finished and deleted the task before us, and the key may
   * be another's by now; so this look comes after every creation. Where that took long, `repair` may be about to take the
   * key for a leftover: writing the entry anew defeats a removal that is on its way.
   */
  async #confirm(draft: Draft, head: Head, isLate: boolean): Promise<boolean> {
    const { wanted } = draft
    if (isLate && (await this.#store.commit([update(head, encodeText(wanted.id))])).ok) return true
    if (await this.#keys.holds(head.key, wanted)) return true
    draft.isStored = false
    return false
  }

  /** Finds the task that is there already; notes a key that stands without one. */
  async #look(draft: Draft): Promise<void> {
    const { task, isIdGiven } = draft
    const key = task.idempotencyKey
    draft.wanted = task
    draft.standing = key === null ? null : await this.#store.get(idemKeyOf(key))
    if (key !== null && draft.standing) await this.#lookBehind(draft, draft.standing, key)
    // Nobody else has an id that was made here.
    else if (isIdGiven || draft.doubt !== null) await this.#checkFree(draft)
  }

  async #lookBehind(draft: Draft, entry: Entry, key: string): Promise<void> {
    const id = checkedIdIn(entry)
    const document = await this.#tasks.get(id)
    if (document === null) {
      // Its task may be done and deleted already, and the key another's: then this one is not to be done again.
      if (draft.doubtfulId !== null && draft.doubtfulId !== id) return this.#checkFree(draft)
      draft.wanted = { ...draft.task, id }
      return
    }
    checkSameKey(document.value, key)
    const isNew = draft.doubt !== null && isOurs(document.value, draft)
    draft.end = { task: document.value, isNew }
  }

  /** After a lost answer a task that is not there may have been, and be done and deleted: that is not for us to say. */
  async #checkFree(draft: Draft): Promise<void> {
    const { task } = draft
    if (draft.doubt === null) {
      if ((await this.#store.get(taskKeyOf(task.id))) !== null) await this.#lookAgain(draft)
      return
    }
    const document = await this.#tasks.get(task.id)
    if (document === null || !isOurs(document.value, draft)) throw draft.doubt
    draft.end = { task: document.value, isNew: true }
  }

  /** The id is taken: perhaps by another submission with the same key, after we looked for that. */
  async #lookAgain(draft: Draft): Promise<void> {
    const { id, idempotencyKey: key } = draft.task
    draft.standing = key === null ? null : await this.#store.get(idemKeyOf(key))
    if (key === null || draft.standing === null) throw new TaskExistsError(id)
    await this.#lookBehind(draft, draft.standing, key)
  }

  /** The revisions; null where it lost, or may have. A second lost answer is told to the caller. */
  async #commit(drafts: readonly Draft[], writes: readonly Write[], isCreation = false) {
    try {
      const result = await this.#store.commit(writes)
      return result.ok ? result.revisions : null
    } catch (error) {
      doubt(drafts, error, isCreation)
      return null
    }
  }
}

/** Notes that an answer was lost. Throws any other failure, and a second one like it. */
function doubt(drafts: readonly Draft[], error: unknown, isCreation: boolean): void {
  const isUnknown = error instanceof StoreError && error.code === 'unknown_outcome'
  if (!isUnknown || drafts.some((draft) => draft.doubt !== null)) throw error
  for (const draft of drafts) {
    draft.doubt = error
    if (isCreation) draft.doubtfulId = draft.wanted.id
  }
}

const aboutKeys = 'the idempotency keys that were submitted'

const bytesOf = (task: StoredTask): Uint8Array => encodeText(JSON.stringify(task))
