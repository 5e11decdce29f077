import { isUnknownOutcome, partlyDone } from '../collection/index.ts'
import type { Entry, StoreError } from '../store/internal.ts'
import { TaskExistsError } from './error.ts'
import type { StoredTask } from './task.ts'

/** A task on its way in. */
export interface NewTask {
  readonly task: StoredTask
  /** Chosen by the caller, so that it may be taken. */
  readonly isIdGiven: boolean
}

/** What came of a submission. */
export interface Submitted {
  /** The new task, or the one that has its key. */
  readonly task: StoredTask
  /** Whether this submission created it: decided by the write that won, of all who submit one key. */
  readonly isNew: boolean
}

/** What a submission knows of a new task while it tries. */
export interface Draft extends NewTask {
  /** As it would be created now: with the id that its key stands for already, if it does. */
  wanted: StoredTask
  /** The entry of its key, where that stands without a task. */
  standing: Entry | null
  /** How an answer was lost, so that the task may be there, or may have been. */
  doubt: StoreError | null
  /** Under which id the task may be there, or may have been; null where only its key may be. */
  doubtfulId: string | null
  /** Whether it is there, though it may not be all done yet. */
  isStored: boolean
  /** Its task and who created that, once there is one. */
  end: Submitted | null
}

/** One for each task, the same for those that share a key. Throws where two are to have the same id. */
export function draftsOf(tasks: readonly NewTask[]): Draft[] {
  const byKey = new Map<string, Draft>()
  const ids = new Set<string>()
  return tasks.map((given) => {
    const { task } = given
    const key = task.idempotencyKey
    const known = key === null ? undefined : byKey.get(key)
    if (known) return known
    if (ids.has(task.id)) throw new TaskExistsError(task.id)
    ids.add(task.id)
    const draft = draftOf(given)
    if (key !== null) byKey.set(key, draft)
    return draft
  })
}

const draftOf = ({ task, isIdGiven }: NewTask): Draft => ({
  task,
  isIdGiven,
  wanted: task,
  standing: null,
  doubt: null,
  doubtfulId: null,
  isStored: false,
  end: null,
})

const commitBytesMax = 4_000_000

/** Those that are not done, so many at a time, and not too many bytes. */
export function* batchesOf(drafts: readonly Draft[], tasksMax: number): Generator<Draft[]> {
  let batch: Draft[] = []
  let bytes = 0
  for (const draft of drafts) {
    if (draft.end !== null) continue
    const own = draft.task.payload.length + (draft.task.idempotencyKey?.length ?? 0)
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

/**
 * Whether a task is the one that a submission brought whose answer was lost, whatever has become of it since. Nobody else
 * has an id that was made here, unless a key names it, under which others bring the task; with such an id, or one that was
 * given, it must have been created with the same words at the same time.
 */
export function isOurs(there: StoredTask, { task, isIdGiven }: NewTask): boolean {
  if (there.id !== task.id) return false
  return (
    (!isIdGiven && task.idempotencyKey === null) ||
    (there.createdAt === task.createdAt &&
      there.payload === task.payload &&
      there.idempotencyKey === task.idempotencyKey)
  )
}

/** What a failed submission is told as: "nothing happened" only where nothing can have. */
export function toldOf(error: unknown, drafts: readonly Draft[]): unknown {
  const stored = drafts.filter(({ isStored, end }) => isStored || end?.isNew).length
  const told = partlyDone(`${stored} of ${drafts.length} tasks were stored`, stored, error)
  if (told !== error || isUnknownOutcome(error)) return told
  return drafts.find(({ doubt }) => doubt !== null)?.doubt ?? error
}
