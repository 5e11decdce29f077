import {
  Monitor,
  Queue,
  QueueError,
  type Submission,
  type Submitted,
  TransitionError,
} from '../../../../src/queue/index.ts'
import { type Store, StoreError } from '../../../../src/store/index.ts'
import type { Client } from '../../model.ts'
import type { Process } from '../../process.ts'
import type { Random } from '../../random.ts'
import { type Order, shown } from './calls.ts'
import { drawDraft } from './draft.ts'
import type { Tools } from './handlers.ts'
import { dismiss, drawJob, drawMonitor, type Hired, hire } from './staff.ts'
import { statuses } from './stored.ts'

/** What clients share with each other. */
export interface Shared {
  /** Ids that some client has heard of, to do something with. */
  readonly known: string[]
  readonly ownIds: readonly string[]
  newMark(): string
  newName(): string
}

const keyNames = ['a', 'b', 'c'] as const

/** A program that submits and steers tasks, and may run a worker. */
export class QueueClient implements Client {
  readonly #tools: Tools
  readonly #process: Process
  readonly #store: Store
  readonly #shared: Shared
  readonly #queue: Queue
  readonly #random: Random
  #hired: Hired | null = null
  #monitor: Monitor | null = null
  readonly #waits = new AbortController()

  constructor(tools: Tools, process: Process, store: Store, shared: Shared) {
    this.#tools = tools
    this.#process = process
    this.#store = store
    this.#shared = shared
    this.#random = tools.scene.random.fork()
    this.#queue = new Queue(store)
  }

  async perform(what: string, random: Random): Promise<void> {
    this.#tools.scene.note(this.#process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  /** Most wait for what runs; some exit at once, whatever runs. */
  async close(): Promise<void> {
    this.#waits.abort()
    await this.#monitor?.stop()
    const beforeExit = this.#hired !== null && this.#random.chance(0.3)
    await this.dismiss(this.#random, beforeExit)
    await this.#queue.close()
    if (beforeExit) await this.#exit()
  }

  async hire(random: Random): Promise<void> {
    if (this.#hired) return
    const job = drawJob(this.#shared.newName(), this.#tools, random)
    this.#hired = await hire(this.#tools, { process: this.#process, store: this.#store }, job)
  }

  async dismiss(random: Random, beforeExit = false): Promise<void> {
    const hired = this.#hired
    if (!hired) return
    this.#hired = null
    const deadlineMs = random.pick([0, 300, 5_000, 30_000])
    await dismiss(this.#tools, hired, { deadlineMs, beforeExit })
  }

  async monitor(random: Random): Promise<void> {
    if (this.#monitor) return
    this.#monitor = new Monitor(this.#store, drawMonitor(random))
    this.#monitor.start()
  }

  async check(random: Random): Promise<void> {
    const monitor = new Monitor(this.#store, drawMonitor(random))
    await this.#heard(monitor.check())
    await this.#heard(monitor.sweep())
    await monitor.stop()
  }

  async submit(random: Random, more: Partial<Submission> = {}): Promise<void> {
    const { submission, mark } = drawDraft(random, this.#tools, this.#shared.newMark(), more)
    await this.#heard(
      this.#queue.submit(submission),
      (submitted) => this.#submitted(submitted, submission, mark),
      () => this.#tools.oracle.notSubmitted(mark),
    )
  }

  submitKey(random: Random): Promise<void> {
    return this.submit(random, { idempotencyKey: random.pick(keyNames) })
  }

  submitLater(random: Random): Promise<void> {
    return this.submit(random, { delayMs: random.logarithmic(10, 90_000) })
  }

  submitOwn(random: Random): Promise<void> {
    const id = random.pick(this.#shared.ownIds)
    return this.submit(random, { id, idempotencyKey: random.chance(0.3) ? 'own' : null })
  }

  async submitMany(random: Random): Promise<void> {
    const drafts = Array.from({ length: random.int(1, 5) }, () =>
      drawDraft(
        random,
        this.#tools,
        this.#shared.newMark(),
        random.chance(0.2) ? { idempotencyKey: random.pick(keyNames) } : {},
      ),
    )
    await this.#heard(this.#queue.submitMany(drafts.map(({ submission }) => submission)), (all) => {
      for (const [at, { submission, mark }] of drafts.entries())
        this.#submitted(all[at] as Submitted, submission, mark)
    })
  }

  cancel(random: Random): Promise<void> {
    return this.#order('cancel', random)
  }

  replay(random: Random): Promise<void> {
    return this.#order('replay', random)
  }

  archive(random: Random): Promise<void> {
    return this.#order('archive', random)
  }

  unarchive(random: Random): Promise<void> {
    return this.#order('unarchive', random)
  }

  async extend(random: Random): Promise<void> {
    const id = this.#runningId(random)
    const { oracle } = this.#tools
    if (id === null) return
    const attempt = oracle.attempts.find(oracle.tasks.get(id)?.lease_id ?? null)
    if (attempt) attempt.isExtended = true
    await this.#heard(this.#queue.extend(id, random.int(500, 5_000)))
  }

  async get(random: Random): Promise<void> {
    const id = this.#anyId(random)
    if (id === null) return
    const { oracle } = this.#tools
    const since = oracle.now
    await this.#heard(this.#queue.get(id), (task) => oracle.seen(task, since, 'get'))
  }

  async history(random: Random): Promise<void> {
    const id = this.#anyId(random)
    if (id === null) return
    const { oracle } = this.#tools
    const since = oracle.now
    await this.#heard(this.#queue.history(id), (versions) =>
      oracle.told(
        id,
        versions.map(({ task }) => task),
        since,
      ),
    )
  }

  async list(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const status = random.pick(statuses)
    const since = oracle.now
    await this.#heard(this.#queue.list({ status, limit: 1000 }), ({ tasks }) =>
      oracle.listed(status, tasks, since),
    )
  }

  async stats(): Promise<void> {
    const { oracle } = this.#tools
    const before = oracle.tasks.size
    await this.#heard(this.#queue.stats(), ({ total }) => {
      if (total < before || total > oracle.tasks.size)
        oracle.violated(`stats counts ${total} tasks of ${before} to ${oracle.tasks.size}`)
    })
  }

  async workers(random: Random): Promise<void> {
    await this.#heard(this.#queue.workers(), async (workers) => {
      const gone = workers.filter(({ status }) => status === 'stale')
      if (gone.length > 0 && random.chance(0.5))
        await this.#heard(this.#queue.removeWorkers(gone.map(({ worker_id }) => worker_id)))
    })
  }

  /** In the background, until it ends or the program does. */
  async wait(random: Random): Promise<void> {
    const id = this.#anyId(random)
    if (id === null) return
    const { oracle } = this.#tools
    const since = oracle.now
    void this.#queue.wait(id, { signal: this.#waits.signal }).then(
      (task) => {
        oracle.seen(task, since, 'wait')
        if (task.status === 'pending' || task.status === 'running')
          oracle.violated(`wait for ${id} ended with a ${task.status} task`)
      },
      () => {},
    )
  }

  async hold(random: Random): Promise<void> {
    const ms = random.logarithmic(10, 30_000)
    await new Promise<void>((resolve) => void this.#process.after(ms, resolve))
  }

  #submitted(
    { id, isNew }: Submitted,
    { idempotencyKey, id: own }: Submission,
    mark: string,
  ): void {
    this.#shared.known.push(id)
    const { oracle } = this.#tools
    const key = idempotencyKey ?? null
    oracle.submitted(id, isNew, mark, key)
    // A key that another has taken, and brought no task for, keeps the id that it stands for.
    const mayMake = key === null ? [own] : this.#shared.ownIds
    if (own !== undefined && isNew && !mayMake.includes(id))
      oracle.violated(`submit as ${own} made ${id}`)
  }

  async #order(order: Order, random: Random): Promise<void> {
    const id = order === 'cancel' ? this.#runningId(random) : this.#anyId(random)
    if (id === null) return
    const { oracle } = this.#tools
    const since = oracle.now
    oracle.calls.begun(order, id, this.#tools.scene.world.nowMs)
    await this.#heard(
      this.#queue[order](id),
      ({ task, isChanged }) => {
        oracle.calls.answered(order, id, isChanged)
        oracle.seen(task, since, order)
      },
      (error) => {
        oracle.calls.answered(order, id, false)
        if (error instanceof TransitionError) oracle.refused(id, error.status, since, order)
        else if (error instanceof QueueError) oracle.violated(`${order} of ${id}: ${error.message}`)
      },
    )
  }

  #anyId(random: Random): string | null {
    const { known } = this.#shared
    return known.length === 0 ? null : random.pick(random.chance(0.5) ? known.slice(-4) : known)
  }

  /** Most often one that runs, as far as anybody can know. */
  #runningId(random: Random): string | null {
    const running = this.#tools.oracle.withStatus('running')
    return running.length > 0 && random.chance(0.7) ? random.pick(running).id : this.#anyId(random)
  }

  /** The process is gone as soon as its main thread goes on. */
  async #exit(): Promise<void> {
    const { world, pausedUntil } = this.#process
    world.after(pausedUntil - world.nowMs, null, () => this.#process.kill())
    await this.#process.death
  }

  /** Refusals are answers; a failure of the store says whether something has happened. */
  async #heard<T>(
    call: Promise<T>,
    done: (value: T) => void | Promise<void> = () => {},
    nothingHappened: (error: QueueError | StoreError) => void = () => {},
  ): Promise<void> {
    const { scene } = this.#tools
    let value: T
    try {
      value = await call
    } catch (error) {
      if (!(error instanceof QueueError || error instanceof StoreError)) throw error
      scene.note(this.#process, () => `… ${error.code}: ${error.message}`)
      if (error.code !== 'unknown_outcome') nothingHappened(error)
      return
    }
    scene.note(this.#process, () => `… ${shown(value)}`)
    await done(value)
  }
}
