import { type CommitResult, StoreError, type Write } from '../../src/store/index.ts'
import type { Disk } from './disk.ts'
import type { FaultRates } from './faults.ts'
import type { Kind } from './kinds.ts'
import type { Process } from './process.ts'
import type { Random } from './random.ts'
import type { Trace } from './trace.ts'
import type { World } from './world.ts'

/** What stands between a process and the disk: time, and what goes wrong on the way. */
export interface Network {
  readonly disk: Disk
  readonly kind: Kind
  readonly trace: Trace
  faults: FaultRates
  /** Until when the store can't be reached; 0 where it can. */
  awayUntilMs: number
  /** Whether all clients have ended, and the rest is looked at: nothing happens between a read and its answer. */
  isSettling?: boolean
}

export const isAway = ({ awayUntilMs }: Network, { nowMs }: World): boolean => awayUntilMs > nowMs

/** How long a request or its answer takes. */
export function latencyMs({ kind, faults }: Network, random: Random): number {
  const [from, to] = kind.latencyMs
  if (random.chance(faults.slow)) return random.logarithmic(to, kind.timeoutMs / 2 + to)
  return random.logarithmic(from, random.chance(0.1) ? to : Math.min(to, from * 20))
}

/** A commit on its way. It arrives whatever becomes of the process that sent it. */
export class Request {
  readonly #network: Network
  readonly #process: Process
  readonly #writes: readonly Write[]
  #isLate = false
  #resolve: (result: CommitResult) => void = () => {}
  #reject: (error: StoreError) => void = () => {}

  constructor(network: Network, process: Process, writes: readonly Write[]) {
    this.#network = network
    this.#process = process
    this.#writes = writes
  }

  send(): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#depart()
    })
  }

  #depart(): void {
    const { faults, kind } = this.#network
    const { random } = this.#process.world
    const arriveMs = this.#latencyMs()
    if (this.#isAway || random.chance(faults.refuse)) this.#fail(arriveMs, downError())
    else if (random.chance(faults.late)) {
      // The client is told at its time limit, and the request arrives before, after, or never.
      const lateMs = random.logarithmic(1, 20_000)
      this.#isLate = lateMs > kind.timeoutMs
      if (random.chance(0.7)) this.#arrive(lateMs, () => {})
      this.#fail(kind.timeoutMs, lostAnswerError())
    } else if (random.chance(faults.loseAnswer)) {
      this.#arrive(arriveMs, () => {})
      const afterMs = random.chance(0.5) ? kind.timeoutMs : arriveMs + this.#latencyMs()
      this.#fail(afterMs, lostAnswerError())
    } else this.#arrive(arriveMs, (result) => this.#answer(result))
  }

  #arrive(ms: number, onAnswer: (result: CommitResult) => void): void {
    this.#process.world.after(ms, null, () => {
      // A store that goes away takes with it what is on its way.
      if (this.#isAway) this.#fail(this.#network.kind.timeoutMs - ms, lostAnswerError())
      else this.#process.committing(() => onAnswer(this.#apply()))
    })
  }

  #apply(): CommitResult {
    const { disk, faults, trace } = this.#network
    const { random } = this.#process.world
    const rival = random.pick(this.#writes)
    if (random.chance(faults.rival)) disk.touch(rival.key)
    const result = disk.commit(this.#writes, this.#isLate)
    trace.note(this.#process, () => `applied: ${this.#shown()} → ${result.ok ? 'ok' : 'conflict'}`)
    return result
  }

  #answer(result: CommitResult): void {
    const ms = this.#latencyMs()
    this.#process.after(ms, () => {
      if (!this.#isAway) this.#resolve(result)
      else this.#fail(this.#latencyMs(), lostAnswerError())
    })
  }

  #fail(ms: number, error: StoreError): void {
    this.#process.after(ms, () => {
      this.#network.trace.note(this.#process, () => `${this.#shown()} → ${error.code}`)
      this.#reject(error)
    })
  }

  get #isAway(): boolean {
    return isAway(this.#network, this.#process.world)
  }

  #latencyMs(): number {
    return latencyMs(this.#network, this.#process.world.random)
  }

  #shown(): string {
    return `commit ${this.#writes.map(({ type, key }) => `${type} ${key}`).join(', ')}`
  }
}

export const downError = (): StoreError =>
  new StoreError('down', 'The simulated store is away; nothing was written.', 'Try again.')

const lostAnswerError = (): StoreError =>
  new StoreError(
    'lost_answer',
    'The simulated store has lost an answer; the write may be there.',
    'Read the keys again, then decide.',
  )
