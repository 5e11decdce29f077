import type { Task, TaskManager } from '../../../src/jobs/index.ts'
import type { Applied } from '../disk.ts'
import type { Observer, Scene } from '../model.ts'
import { isOpen, JobsKeys } from './jobs-keys.ts'
import { JobsReading } from './jobs-reading.ts'
import { checkSettled } from './jobs-settled.ts'

/** A task as it is stored; only what is judged. */
export interface Stored {
  readonly id: string
  readonly idempotencyKey: string | null
  readonly payload: string
  readonly status: 'pending' | 'claimed' | 'completed' | 'failed'
  readonly attempts: number
  readonly maxAttempts: number
  readonly claimedAt: string | null
  readonly claimedBy: string | null
  readonly claimToken?: string
  readonly result: string | null
  readonly error: string | null
  readonly createdAt: string
}

/** What a task may become in one write. A write of the same state changes nothing but its revision. */
const moves = new Set([
  'none pending',
  'pending claimed',
  'pending pending',
  'claimed completed',
  'claimed failed',
  'claimed pending',
  'claimed claimed',
  'failed pending',
  'failed failed',
  'completed completed',
  'completed none',
  'failed none',
])

const prefix = 'tasks/task/'
const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString()

/**
 * What must hold of tasks, by their specification alone: it follows the documents as they are written, and compares what
 * clients were told with them.
 */
export class JobsOracle {
  readonly #scene: Scene
  readonly #isEarly: boolean
  readonly #ttlMs: number | undefined
  readonly #tasks = new Map<string, Stored>()
  readonly #keys: JobsKeys
  /** All that was ever created, by what its payload says. */
  readonly #byMark = new Map<string, string>()
  readonly #everSeen = new Map<string, Stored>()
  readonly #gone = new Set<string>()
  /** Whose deletion was asked for. */
  readonly #doomed = new Set<string>()
  readonly #results = new Map<string, string>()
  readonly #errors = new Map<string, Set<string>>()
  /** Marks of calls that were told that nothing has happened. */
  readonly #mustNotExist = new Set<string>()
  readonly #mustNotCount = new Set<string>()
  readonly #acknowledged = new Set<string>()
  readonly #handedOut = new Map<string, string>()
  /** Since when a task has been pending without a break. */
  readonly #pendingSince = new Map<string, number>()
  readonly #claims = new Set<string>()
  /** Tasks that were deleted, and brought again by what was still on its way. */
  readonly #risen = new Set<string>()
  readonly #presented = new Map<string, Task>()
  readonly reading: JobsReading

  constructor(scene: Scene, ttlMs: number | undefined) {
    this.#scene = scene
    this.#isEarly = scene.random.chance(0.4)
    this.#ttlMs = ttlMs
    this.reading = new JobsReading(scene)
    this.#keys = new JobsKeys(scene, this.#tasks)
  }

  get now(): number {
    return this.#scene.world.nowMs
  }

  applied(writes: readonly Applied[]): void {
    this.reading.applied(writes)
    for (const { key, value, isLate } of writes) {
      this.#keys.applied(key, value)
      if (!key.startsWith(prefix)) continue
      const id = key.slice(prefix.length)
      const after = value === null ? null : (JSON.parse(new TextDecoder().decode(value)) as Stored)
      this.#moved(id, this.#tasks.get(id) ?? null, after, isLate)
      if (after === null) {
        this.#tasks.delete(id)
        this.#gone.add(id)
      } else {
        this.#tasks.set(id, after)
        this.#everSeen.set(id, after)
      }
    }
  }

  submitted(id: string, mark: string, key: string | undefined): void {
    const stored = this.#everSeen.get(id)
    this.#acknowledged.add(id)
    this.#risen.delete(id)
    if (!stored) {
      this.#violated(`submit said ${id}, which was never written`)
      return
    }
    if ((stored.idempotencyKey ?? undefined) !== key)
      this.#violated(`submit with key ${key} said ${id}, which has ${stored.idempotencyKey}`)
    if (key === undefined && textOf(stored.payload) !== mark)
      this.#violated(`submit of ${mark} said ${id}, which is another task`)
  }

  notSubmitted(mark: string): void {
    this.#mustNotExist.add(mark)
    if (this.#byMark.has(mark)) this.#violated(`${mark} was refused, yet its task was written`)
  }

  handedOut(task: Task, worker: string, since: number): void {
    // A later task may have the id of one that was deleted.
    const name = `${task.id} ${task.attempts} ${task.claimToken}`
    if (!this.#claims.has(`${name} ${worker}`))
      this.#violated(`${worker} was given attempt ${name}, which is not what is written`)
    const before = this.#handedOut.get(name)
    if (before !== undefined && before !== worker)
      this.#violated(`attempt ${name} was given to ${before} and to ${worker}`)
    this.#handedOut.set(name, worker)
    this.#checkAge(task, worker, since)
  }

  /**
   * No task may have been pending all the while. One whose submitter was not told of it may lack its index entry until the
   * next repair.
   */
  nothingPending(since: number): void {
    for (const [id, pendingSince] of this.#pendingSince)
      if (pendingSince < since && this.#acknowledged.has(id))
        this.#violated(`claimNext said null, but ${id} was pending from before the call until now`)
  }

  /** Whoever brings this word as a result or an error has this claim, and no other. */
  presents(word: string, claim: Task): void {
    this.#presented.set(word, claim)
  }

  completed(task: Task, result: string): void {
    const stored = this.#results.get(task.id)
    if (stored === undefined) this.#violated(`${task.id} is said to be completed, and is not`)
    else if (Buffer.from(task.result ?? []).toString() !== stored)
      this.#violated(`the completion of ${task.id} with ${result} was answered with another result`)
  }

  notCompleted(id: string, result: string): void {
    this.#mustNotCount.add(result)
    if (this.#results.get(id) === result)
      this.#violated(`result ${result} was refused, yet written`)
  }

  failed(task: Task): void {
    if (task.status !== 'pending' && task.status !== 'failed')
      this.#violated(`fail of ${task.id} was answered with a ${task.status} task`)
  }

  notFailed(id: string, error: string): void {
    this.#mustNotCount.add(error)
    if (this.#errors.get(id)?.has(error)) this.#violated(`error ${error} was refused, yet written`)
  }

  deleting(id: string): void {
    this.#doomed.add(id)
  }

  deleted(id: string): void {
    if (!this.#gone.has(id)) this.#violated(`${id} is said to be deleted, and is there`)
  }

  /** Whether its submitter was told of it, so that nothing of it may be missing. */
  isAcknowledged(id: string): boolean {
    return this.#acknowledged.has(id)
  }

  /** At the end, when nothing goes wrong any more. */
  settled(observer: Observer, manager: TaskManager): Promise<void> {
    const [tasks, doomed, risen] = [this.#tasks, this.#doomed, this.#risen]
    return checkSettled({
      observer,
      manager,
      tasks,
      doomed,
      risen,
      isAcknowledged: (id) => this.#acknowledged.has(id),
      isEarly: this.#isEarly,
      violated: (what) => this.#violated(what),
    })
  }

  #moved(id: string, before: Stored | null, after: Stored | null, isLate: boolean): void {
    const move = `${before?.status ?? 'none'} ${after?.status ?? 'none'}`
    const isTakenBack = before !== null && after === null && this.#keys.isTakenBack(before)
    if (!moves.has(move) && !isTakenBack) {
      this.#violated(`${id} went from ${move.replace(' ', ' to ')}`)
      return
    }
    if (after === null) {
      this.#pendingSince.delete(id)
      return
    }
    if (before === null) this.#created(after, isLate)
    else this.#changed(before, after)
    if (after.status !== 'pending') this.#pendingSince.delete(id)
    else if (before?.status !== 'pending') this.#pendingSince.set(id, this.now)
  }

  #created(task: Stored, isLate: boolean): void {
    const mark = textOf(task.payload)
    const twin = this.#byMark.get(mark)
    // No store can refuse a creation that comes after its task was done and deleted: nothing is there to compare with.
    // Where key and task are written one after the other, its submitter looks again before it is answered.
    if (this.#gone.has(task.id) && (isLate || this.#keys.isInSteps)) {
      this.#risen.add(task.id)
      // Who was told of this id was told of the task that is deleted.
      this.#acknowledged.delete(task.id)
      this.#keys.rose(task)
      return
    }
    if (twin !== undefined) this.#violated(`${mark} was written as ${twin} and as ${task.id}`)
    this.#byMark.set(mark, task.id)
    if (this.#mustNotExist.has(mark)) this.#violated(`${mark} was refused, and written later`)
    if (task.attempts !== 0) this.#violated(`${task.id} begins with ${task.attempts} attempts`)
    if (task.idempotencyKey !== null) this.#keys.check(task, 'submission')
  }

  #changed(before: Stored, after: Stored): void {
    const { id } = after
    const isClaim = before.status === 'pending' && after.status === 'claimed'
    if (after.attempts !== before.attempts + (isClaim ? 1 : 0))
      this.#violated(`${id}: ${before.attempts} attempts became ${after.attempts}`)
    if (isClaim && before.maxAttempts > 0 && after.attempts > before.maxAttempts)
      this.#violated(`${id} was claimed more often than ${before.maxAttempts} times`)
    if (after.status === 'claimed') this.#claimed(before, after)
    if (before.status === 'failed' && isOpen(after) && after.idempotencyKey !== null)
      this.#keys.check(after, 'retry')
    if (before.status === 'claimed' && after.status === 'completed') this.#ended(before, after)
    if (before.status === 'completed' && after.result !== before.result)
      this.#violated(`the result of ${id} has changed`)
    if (before.error !== after.error && after.error !== null) this.#noteError(before, after)
  }

  #claimed(before: Stored, after: Stored): void {
    const isSame = before.status !== 'claimed' || before.claimedBy === after.claimedBy
    if (!isSame) this.#violated(`${after.id} went from ${before.claimedBy} to ${after.claimedBy}`)
    this.#claims.add(`${after.id} ${after.attempts} ${after.claimToken} ${after.claimedBy}`)
  }

  #ended(before: Stored, task: Stored): void {
    const result = textOf(task.result ?? '')
    this.#checkClaim(before, result)
    this.#results.set(task.id, result)
    if (this.#mustNotCount.has(result))
      this.#violated(`result ${result} was refused, and written later`)
  }

  /** Only who holds a claim ends it. */
  #checkClaim({ id, attempts, claimedBy }: Stored, word: string): void {
    const claim = this.#presented.get(word)
    if (claim && (claim.attempts !== attempts || claim.claimedBy !== claimedBy))
      this.#violated(
        `attempt ${attempts} of ${id} by ${claimedBy} was ended by attempt ${claim.attempts} of ${claim.claimedBy}`,
      )
  }

  #noteError(before: Stored, { id, error }: Stored): void {
    this.#checkClaim(before, error as string)
    const errors = this.#errors.get(id) ?? new Set()
    this.#errors.set(id, errors.add(error as string))
    if (this.#mustNotCount.has(error as string))
      this.#violated(`error ${error} was refused, and written later`)
  }

  /**
   * Where the store has a clock that nobody else sets, a claim is not over when it is given. What the worker had claimed
   * before it asked again stays as it is.
   */
  #checkAge({ id, claimedAt }: Task, worker: string, since: number): void {
    const { kind, world } = this.#scene
    if (this.#ttlMs === undefined || !kind.hasClock) return
    const claimedMs = Number(claimedAt) - world.epochMs
    const ageMs = world.nowMs - claimedMs
    if (claimedMs >= since && ageMs >= this.#ttlMs)
      this.#violated(`${worker} was given ${id} with a claim of ${ageMs} ms`)
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}
