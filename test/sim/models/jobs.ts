import {
  type Task,
  TaskError,
  TaskManager,
  type TaskManagerOptions,
} from '../../../src/jobs/index.ts'
import { type Store, StoreError } from '../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { JobsOracle } from './jobs-oracle.ts'

/** Programs that submit under keys, claim, finish, give up and delete; some do it with claims that are over. */
export const jobs: Model = {
  name: 'jobs',
  clientsMax: 6,
  stepsMax: 40,
  steps: {
    submit: 14,
    submitKey: 16,
    claimNext: 26,
    claim: 6,
    complete: 12,
    fail: 8,
    retry: 4,
    delete: 8,
    releaseStale: 3,
    get: 2,
    getByKey: 3,
    hold: 3,
  },
  open: (scene) => new JobsPlay(scene),
}

const keyNames = ['a', 'b', 'c']

class JobsPlay implements Play {
  readonly #scene: Scene
  readonly #oracle: JobsOracle
  readonly #options: TaskManagerOptions
  /** Ids that some client has heard of, to do something with. */
  readonly #known: string[] = []
  #marks = 0

  constructor(scene: Scene) {
    this.#scene = scene
    const ttlMs = scene.random.chance(0.7) ? scene.random.pick([2_000, 30_000]) : undefined
    this.#options = { claimTtlMs: ttlMs }
    this.#oracle = new JobsOracle(scene, ttlMs)
  }

  applied: Play['applied'] = (writes) => this.#oracle.applied(writes)

  open(process: Process, store: Store, index: number): Client {
    const manager = new TaskManager(store, this.#options)
    return new JobsClient({
      manager,
      worker: `worker-${index}`,
      process,
      scene: this.#scene,
      oracle: this.#oracle,
      known: this.#known,
      newMark: () => `mark-${++this.#marks}`,
    })
  }

  settled: Play['settled'] = async (observer) => {
    const manager = new TaskManager(observer.store, {})
    await this.#oracle.settled(observer, manager)
    await manager.close()
  }
}

interface Tools {
  readonly manager: TaskManager
  readonly worker: string
  readonly process: Process
  readonly scene: Scene
  readonly oracle: JobsOracle
  readonly known: string[]
  readonly newMark: () => string
}

class JobsClient implements Client {
  readonly #tools: Tools
  /** What it holds, or believes it holds. */
  readonly #held: Task[] = []

  constructor(tools: Tools) {
    this.#tools = tools
  }

  async close(): Promise<void> {
    await this.#tools.manager.close()
  }

  async perform(what: string, random: Random): Promise<void> {
    const { process, scene } = this.#tools
    scene.note(process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  async submit(random: Random, idempotencyKey?: string): Promise<void> {
    const { manager, oracle, known, newMark } = this.#tools
    const mark = newMark()
    const maxAttempts = random.pick([0, 1, 2, 3])
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
    return this.submit(random, random.pick(keyNames))
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
    const { manager, oracle, worker, known } = this.#tools
    if (known.length === 0) return
    const since = oracle.now
    await this.#heard(manager.claim(random.pick(known), worker), (task) => {
      this.#held.push(task)
      oracle.handedOut(task, worker, since)
    })
  }

  async complete(random: Random): Promise<void> {
    const { manager, oracle, newMark } = this.#tools
    const task = this.#anyHeld(random)
    if (task === null) return
    const result = newMark()
    await this.#heard(
      manager.complete(task.id, new TextEncoder().encode(result), this.#fence(task, random)),
      (ended) => oracle.completed(ended, result),
      () => oracle.notCompleted(task.id, result),
    )
  }

  async fail(random: Random): Promise<void> {
    const { manager, oracle, newMark } = this.#tools
    const task = this.#anyHeld(random)
    if (task === null) return
    const error = newMark()
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
    const { manager, known, oracle } = this.#tools
    if (known.length === 0) return
    const id = random.pick(known)
    oracle.deleting(id)
    await this.#heard(manager.delete(id), () => oracle.deleted(id))
  }

  async releaseStale(): Promise<void> {
    await this.#heard(this.#tools.manager.releaseStale())
  }

  async get(random: Random): Promise<void> {
    const { manager, known, oracle } = this.#tools
    if (known.length > 0)
      await this.#heard(manager.get(random.pick(known)), (task) => oracle.seen(task))
  }

  async getByKey(random: Random): Promise<void> {
    const { manager, oracle } = this.#tools
    const key = random.pick(keyNames)
    await this.#heard(manager.getByIdempotencyKey(key), (task) => oracle.seen(task))
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
    nothingHappened: () => void = () => {},
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
      nothingHappened()
    }
  }
}

function shown(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  const { id, status, attempts, claimedBy } = value as Task
  return `${id} ${status}, attempt ${attempts} by ${claimedBy}`
}
