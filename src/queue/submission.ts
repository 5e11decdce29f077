import { decodeText, encodeText, partlyDone, pooled, shown } from '../collection/index.ts'
import { compete, create, type Entry, lost, remove, StoreError } from '../store/internal.ts'
import { type Checked as CheckedSubmission, checkSubmission, type Submission } from './checks.ts'
import {
  type Checked as CheckedInput,
  type Contents,
  checkInput,
  inline,
  isInline,
  type Kept,
} from './content.ts'
import { CorruptTaskError, TaskExistsError } from './error.ts'
import { idMaker, idPattern } from './id.ts'
import { keyOfIdempotency, taskKeyOf } from './keys.ts'
import type { Repository } from './repository.ts'
import { isCostlyToWatch, signals } from './signal.ts'
import { newTask, type Task } from './task.ts'
import { checkTyped } from './task-type.ts'
import { timeOf } from './time.ts'

/** What became of a submission. */
export interface Submitted {
  /** The id of the task. */
  readonly id: string
  /** False where its key stood for a task already: then that one. */
  readonly isNew: boolean
}

/** The same with the task. */
export interface Brought {
  /** As it is stored: where its input is large it only says where that lies. */
  readonly task: Task
  /** False where its key stood for a task already: then that one. */
  readonly isNew: boolean
}

/** A task on its way in. */
export interface Draft {
  readonly submission: CheckedSubmission
  readonly input: CheckedInput
}

/** How often to look again whether somebody else, who has the key, also brings its task. */
const patienceAttempts = 7

/**
 * Creates tasks, each once for its key. The entry of the key comes first, created if absent: that decides which id it
 * stands for. A crash leaves a key without a task; the next submission with that key brings it, under the same id.
 * Keys are never freed, for tasks are never deleted.
 */
export class Submitter {
  readonly #repository: Repository
  readonly #contents: Contents
  readonly #newId = idMaker()
  /** Where a store is only listed, so that nobody hears of a new task. */
  readonly #signals: ReturnType<typeof signals> | null

  constructor(repository: Repository, contents: Contents) {
    this.#repository = repository
    this.#contents = contents
    this.#signals = isCostlyToWatch(repository.store) ? signals() : null
  }

  submit(draft: Draft, nowMs: number): Promise<Brought> {
    const isAtomic = this.#repository.store.limits.commitWritesMax > 1
    // Where the entry comes before the task, it must not be another task's.
    return isAtomic
      ? this.#one(draft, nowMs)
      : this.#checkFree([draft]).then(() => this.#one(draft, nowMs))
  }

  async submitMany(drafts: readonly Draft[], nowMs: number): Promise<Brought[]> {
    const [only] = drafts
    if (only && drafts.length === 1) return [await this.submit(only, nowMs)]
    await this.#checkFree(drafts)
    const results = new Array<Brought | undefined>(drafts.length)
    try {
      await this.#unkeyedOf(drafts, nowMs, results)
      await pooled(drafts, async (draft, at) => {
        results[at] ??= await this.#one(draft, nowMs)
      })
      return results as Brought[]
    } catch (error) {
      const count = results.filter((result) => result?.isNew).length
      throw partlyDone(`${count} of ${drafts.length} tasks were stored`, count, error)
    }
  }

  /** Those without a key, in as few commits as it takes. */
  async #unkeyedOf(
    drafts: readonly Draft[],
    nowMs: number,
    results: (Brought | undefined)[],
  ): Promise<void> {
    const tasks: Task[] = []
    const places: number[] = []
    for (const [at, draft] of drafts.entries()) {
      if (draft.submission.given.idempotency_key !== null) continue
      const id = this.#idFor(draft, nowMs)
      tasks.push(taskOf(draft, id, nowMs, await this.#contents.keepInput(id, draft.input)))
      places.push(at)
    }
    const added = await this.#repository.addAll(tasks)
    for (const [nth, task] of tasks.entries())
      if (added[nth]) results[places[nth] as number] = { task, isNew: true }
    const taken = tasks.find((_, nth) => !added[nth])
    if (taken) throw new TaskExistsError(taken.id)
  }

  #idFor({ submission }: Draft, nowMs: number): string {
    const { id, given } = submission
    const type = given.task_type
    if (id !== null) return id
    const shard = this.#signals?.(type, availableMsOf(submission, nowMs), nowMs) ?? null
    return this.#newId({ timeMs: nowMs, type, shard })
  }

  async #one(draft: Draft, nowMs: number): Promise<Brought> {
    const { submission, input } = draft
    const id = this.#idFor(draft, nowMs)
    const key = submission.given.idempotency_key
    if (key !== null) return this.#keyed(draft, key, id, nowMs)
    const kept = isInline(input) ? inline(input) : await this.#contents.keepInput(id, input)
    const task = taskOf(draft, id, nowMs, kept)
    if (await this.#repository.add(task)) return { task, isNew: true }
    throw new TaskExistsError(id)
  }

  #keyed(draft: Draft, key: string, id: string, nowMs: number): Promise<Brought> {
    return compete(`the idempotency key ${shown(key)}`, async (nth) => {
      const standing = await this.#take(key, id)
      if (standing === lost) return lost
      const isOthers = standing !== id
      if (isOthers || nth > 1) {
        const there = await this.#repository.find(standing)
        if (there) return { task: checkSameKey(there, key), isNew: false }
        // Most likely it is just being brought.
        if (isOthers && nth <= patienceAttempts) return lost
      }
      const kept = await this.#contents.keepInput(standing, draft.input)
      const task = taskOf(draft, standing, nowMs, kept)
      if (await this.#repository.add(task)) return { task, isNew: true }
      return this.#taken(draft, key, standing)
    })
  }

  /** The id that the key stands for: ours, if it stood for none. */
  async #take(key: string, id: string): Promise<string | typeof lost> {
    const { store } = this.#repository
    const name = keyOfIdempotency(key)
    try {
      if ((await store.commit([create(name, encodeText(id))])).ok) return id
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unknown_outcome')) throw error
    }
    const entry = await store.get(name)
    return entry === null ? lost : idIn(entry)
  }

  /** Somebody else has created a task with this id: for the same key, or the caller chose an id that is taken. */
  async #taken({ submission }: Draft, key: string, id: string): Promise<Brought> {
    const task = await this.#repository.get(id)
    if (task.idempotency_key === key) return { task, isNew: false }
    if (submission.id !== id) checkSameKey(task, key)
    const { store } = this.#repository
    const entry = await store.get(keyOfIdempotency(key))
    if (entry && idIn(entry) === id) await store.commit([remove(entry)])
    throw new TaskExistsError(id)
  }

  /** Of many, all ids that are taken are found before anything is written. */
  async #checkFree(drafts: readonly Draft[]): Promise<void> {
    const ids = drafts.flatMap(({ submission: { id } }) => id ?? [])
    if (ids.length === 0) return
    const given = new Set<string>()
    for (const id of ids) if (given.size === given.add(id).size) throw new TaskExistsError(id)
    const unkeyed = drafts.filter(({ submission }) => submission.given.idempotency_key === null)
    await pooled(
      unkeyed.flatMap(({ submission: { id } }) => id ?? []),
      async (id) => {
        if (await this.#repository.store.get(taskKeyOf(id))) throw new TaskExistsError(id)
      },
    )
  }
}

const availableMsOf = ({ availableMs, delayMs }: CheckedSubmission, nowMs: number): number =>
  availableMs ?? nowMs + delayMs

const taskOf = ({ submission }: Draft, id: string, nowMs: number, kept: Kept): Task =>
  newTask({
    ...submission.given,
    id,
    available_at: timeOf(availableMsOf(submission, nowMs)),
    input: kept.value,
    input_ref: kept.ref,
    created_at: timeOf(nowMs),
  })

function idIn(entry: Entry): string {
  const id = decodeText(entry.value)
  if (idPattern.test(id)) return id
  throw new CorruptTaskError('', `What is stored at ${entry.key} is not the id of a task.`)
}

function checkSameKey(task: Task, key: string): Task {
  const { id, idempotency_key } = task
  if (idempotency_key === key) return task
  const has = idempotency_key === null ? 'none' : shown(idempotency_key)
  throw new CorruptTaskError(
    id,
    `The idempotency key ${shown(key)} stands for task ${id}, which has ${has}.`,
  )
}

/** Throws {@link InvalidTaskError} for what can't be submitted. */
export async function draftOf<I>(task: Submission<I>): Promise<Draft> {
  const submission = checkSubmission(task)
  if (typeof task.type === 'object') await checkTyped(task.type, task.input ?? null)
  return { submission, input: checkInput(task.input) }
}

export const submittedOf = ({ task: { id }, isNew }: Brought): Submitted => ({ id, isNew })
