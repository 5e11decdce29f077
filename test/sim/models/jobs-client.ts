import { statuses, type Task, TaskError, type TaskManager } from '../../../src/jobs/index.ts'
import { StoreError } from '../../../src/store/index.ts'
import type { Client, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { JobsFollower } from './jobs-follower.ts'
import type { JobsOracle } from './jobs-oracle.ts'

interface Tools {
  readonly manager: TaskManager
  readonly worker: string
  readonly process: Process
  readonly scene: Scene
  readonly oracle: JobsOracle
  readonly known: string[]
  readonly keys: readonly string[]
  readonly newMark: () => string
}

/** One program: it does one thing after the other, and some in the background. */
export class JobsClient implements Client {
  readonly #tools: Tools
  /** What it holds, or believes it holds. */
  readonly #held: Task[] = []

  readonly #follower: JobsFollower

  constructor(tools: Tools) {
    this.#tools = tools
    this.#follower = new JobsFollower({ ...tools, reading: tools.oracle.reading })
  }

  quiet(): Promise<void> {
    return this.#follower.quiet()
  }

  async close(): Promise<void> {
    await this.#tools.manager.close()
    await this.#follower.ended()
  }

  async perform(what: string, random: Random): Promise<void> {
    const { process, scene } = this.#tools
    scene.note(process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  async submit(
    random: Random,
    idempotencyKey?: string,
    maxAttempts = random.pick([0, 1, 2, 3]),
  ): Promise<void> {
    const { manager, oracle, known, newMark } = this.#tools
    const mark = newMark()
    const payload = new TextEncoder().encode(mark)
    const submission = { payload, maxAttempts, ...(idempotencyKey && { idempotencyKey }) }
    await this.#heard(
      manager.submit(submission),
      (id) => {
        known.push(id)
        oracle.submitted(id, mark, idempotencyKey)
      },
      () => oracle.notSubmitted(mark),
    )
  }

  submitKey(random: Random): Promise<void> {
    return this.submit(random, random.pick(this.#tools.keys))
  }

  async claimNext(): Promise<void> {
    const { manager, oracle, worker } = this.#tools
    const since = oracle.now
    await this.#heard(manager.claimNext(worker), (task) => {
      if (task === null) return oracle.nothingPending(since)
      this.#held.push(task)
      oracle.handedOut(task, worker, since)
    })
  }

  async claim(random: Random): Promise<void> {
    const { known } = this.#tools
    if (known.length > 0) await this.#claim(random.pick(known))
  }

  async #claim(id: string): Promise<void> {
    const { manager, oracle, worker } = this.#tools
    const since = oracle.now
    await this.#heard(
      manager.claim(id, worker),
      (task) => {
        this.#held.push(task)
        oracle.handedOut(task, worker, since)
      },
      (code) => code === 'TASK_ALREADY_CLAIMED' && oracle.reading.refusedClaim(id, since),
    )
  }

  async complete(random: Random): Promise<void> {
    const task = this.#anyHeld(random)
    if (task !== null) await this.#finish(task, random)
  }

  async #finish(task: Task, random: Random): Promise<void> {
    const { manager, oracle, newMark } = this.#tools
    const result = newMark()
    oracle.presents(result, task)
    await this.#heard(
      manager.complete(task.id, new TextEncoder().encode(result), this.#fence(task, random)),
      (ended) => oracle.completed(ended, result),
      () => oracle.notCompleted(task.id, result),
    )
  }

  async fail(random: Random): Promise<void> {
    const task = this.#anyHeld(random)
    if (task !== null) await this.#giveUp(task, random)
  }

  async #giveUp(task: Task, random: Random): Promise<void> {
    const { manager, oracle, newMark } = this.#tools
    const error = newMark()
    oracle.presents(error, task)
    await this.#heard(
      manager.fail(task.id, error, this.#fence(task, random)),
      (ended) => oracle.failed(ended),
      () => oracle.notFailed(task.id, error),
    )
  }

  async retry(random: Random): Promise<void> {
    const { manager, known } = this.#tools
    if (known.length > 0)
      await this.#heard(
        manager.retry(random.pick(known), { attempts: random.int(0, 1) || undefined }),
      )
  }

  async delete(random: Random): Promise<void> {
    const { known } = this.#tools
    if (known.length > 0) await this.#delete(random.pick(known))
  }

  async #delete(id: string): Promise<void> {
    const { manager, oracle } = this.#tools
    oracle.deleting(id)
    await this.#heard(manager.delete(id), () => oracle.deleted(id))
  }

  async releaseStale(): Promise<void> {
    await this.#heard(this.#tools.manager.releaseStale())
  }

  async get(random: Random): Promise<void> {
    const { manager, known, oracle } = this.#tools
    if (known.length === 0) return
    const [id, since] = [random.pick(known), oracle.now]
    await this.#heard(
      manager.get(id),
      (task) => oracle.reading.seen(task, since),
      (code) => code === 'TASK_NOT_FOUND' && oracle.reading.missed(id, since),
    )
  }

  async getByKey(random: Random): Promise<void> {
    const { manager, oracle, keys } = this.#tools
    const [key, since] = [random.pick(keys), oracle.now]
    await this.#heard(
      manager.getByIdempotencyKey(key),
      (task) => oracle.reading.seen(task, since),
      (code) => code === 'TASK_NOT_FOUND' && oracle.reading.missedKey(key, since),
    )
  }

  async list(random: Random): Promise<void> {
    const { manager, oracle } = this.#tools
    const [status, sinceMs] = [random.pick(statuses), oracle.now]
    const isSure = (id: string) => oracle.isAcknowledged(id)
    await this.#heard(manager.list(status, { limit: 1000 }), ({ tasks }) =>
      oracle.reading.listed(status, tasks, { sinceMs, isSure }),
    )
  }

  /** All that happens to most jobs, in one go; the next submission finds the key free, and often comes at once. */
  async life(random: Random): Promise<void> {
    const key = random.pick(this.#tools.keys)
    await this.submit(random, key, 1)
    const id = this.#tools.known.at(-1)
    if (id === undefined) return
    await this.#claim(id)
    const task = this.#held.at(-1)
    if (task?.id === id)
      await (random.chance(0.5) ? this.#finish(task, random) : this.#giveUp(task, random))
    if (random.chance(0.8)) await this.#delete(id)
    if (random.chance(0.5)) await this.submit(random, key)
  }

  async wait(random: Random): Promise<void> {
    const { known } = this.#tools
    if (known.length > 0) this.#follower.wait(random.pick(known))
  }

  async follow(): Promise<void> {
    this.#follower.follow()
  }

  /** Works for a while, longer than some claims last. */
  async hold(random: Random): Promise<void> {
    const { process } = this.#tools
    const ms = random.logarithmic(10, 40_000)
    await new Promise<void>((resolve) => void process.after(ms, resolve))
  }

  #anyHeld(random: Random): Task | null {
    return this.#held.length === 0 ? null : (random.pick(this.#held.slice(-3)) as Task)
  }

  /** Most present all that they were given; some only a part. */
  #fence({ claimedBy, attempts, claimToken }: Task, random: Random): object {
    const whole = { workerId: claimedBy, attempt: attempts, claimToken }
    return random.chance(0.7) ? whole : { workerId: claimedBy, attempt: attempts }
  }

  /** Refusals are answers; a failure of the store says whether something has happened. */
  async #heard<T>(
    call: Promise<T>,
    done: (value: T) => void = () => {},
    nothingHappened: (code: string) => void = () => {},
  ): Promise<void> {
    const { process, scene } = this.#tools
    try {
      const value = await call
      scene.note(process, () => `… ${shown(value)}`)
      done(value)
    } catch (error) {
      if (!(error instanceof TaskError || error instanceof StoreError)) throw error
      scene.note(process, () => `… ${error.code}: ${error.message}`)
      if (error.code === 'unknown_outcome') return
      nothingHappened(error.code)
    }
  }
}

function shown(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  const { id, status, attempts, claimedBy } = value as Task
  return `${id} ${status}, attempt ${attempts} by ${claimedBy}`
}
