import type { WorkerEvent } from '../../../../src/queue/index.ts'
import type { Scene } from '../../model.ts'
import { type Attempt, type Employee, newAttempt } from './employee.ts'
import type { Move } from './moves.ts'
import { msOf } from './moves.ts'
import type { Stored } from './stored.ts'

/** How long the lease of a handler that is over its limit goes on for the report. */
const reportMs = 5_000

const moveOfEvent: Partial<Record<WorkerEvent['type'], Move>> = {
  completed: 'complete',
  retried: 'retry',
  failed: 'fail',
  cancelled: 'abandon',
  requeued: 'requeue',
}
const clockMs = 10

/** Follows every claim: what its handler did, what the store has of it, and what its worker told. */
export class Attempts {
  readonly #scene: Scene
  readonly #byLease = new Map<string, Attempt>()
  readonly #running = new Map<string, Set<Attempt>>()
  readonly employees = new Map<string, Employee>()
  /** How many claims the store has given. */
  count = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** Whether times in tasks are those of the world: else somebody may have set the clock of his machine. */
  get isTimely(): boolean {
    const { kind, troubles, hasOneClock } = this.#scene
    return kind.hasClock || (hasOneClock && !troubles.has('jump'))
  }

  /** Whether every request was answered in time, so that leases could be kept. */
  get isCalm(): boolean {
    const { faults, troubles } = this.#scene
    const isDisturbed = (['pause', 'pauseAtCommit', 'away'] as const).some((what) =>
      troubles.has(what),
    )
    const { refuse, loseAnswer, late, failRead, slow } = faults
    return !isDisturbed && this.isTimely && refuse + loseAnswer + late + failRead + slow === 0
  }

  get #isSlow(): boolean {
    return this.#scene.kind.latencyMs[1] > 1_000
  }

  claimed(before: Stored, after: Stored): void {
    const { id, lease_id, worker_id, timeout_seconds } = after
    const leaseId = lease_id as string
    if (this.#byLease.has(leaseId)) this.#violated(`lease ${leaseId} was given twice`)
    this.count++
    const employee = this.employees.get(worker_id as string) ?? null
    this.#byLease.set(leaseId, newAttempt(after, employee))
    if (employee === null) {
      this.#violated(`${id} was claimed by unknown ${worker_id}`)
      return
    }
    if (!employee.types.includes(after.task_type))
      this.#violated(`${employee.id} has claimed ${id} of type ${after.task_type}`)
    const leaseMs = msOf(after.lease_expires_at) - msOf(after.updated_at)
    const expected = Math.min(employee.leaseMs ?? Number.POSITIVE_INFINITY, timeout_seconds * 1000)
    if (leaseMs !== expected)
      this.#violated(`the lease of ${id} has ${leaseMs} ms, not ${expected}`)
    const isDue =
      msOf(after.updated_at) >= msOf(before.available_at) &&
      (!this.isTimely || this.#wallMs >= msOf(before.available_at))
    if (!isDue) this.#violated(`${id} was claimed before ${before.available_at}`)
  }

  /** The lease of a running task has ended in the store. */
  released(move: Move, before: Stored, after: Stored): void {
    const attempt = this.#byLease.get(before.lease_id as string)
    if (!attempt) return
    attempt.end = { move, after, isMonitors: isExpiry(before, after) }
    const flaw = this.#flawOf(attempt, move, before, after)
    if (flaw !== null) this.#violated(`${after.id} went to ${after.status} (${move}), but ${flaw}`)
  }

  #flawOf(attempt: Attempt, move: Move, before: Stored, after: Stored): string | null {
    if (move === 'complete') {
      if (!attempt.hasReturned) return 'its handler has not returned'
      return after.output?.by === attempt.leaseId ? null : 'its output is that of another attempt'
    }
    if (isExpiry(before, after)) {
      const isOver = !this.isTimely || this.#wallMs > msOf(before.lease_expires_at)
      if (move === 'fail' && before.retry_count < before.max_retries) return 'it has retries left'
      return isOver ? null : `its lease lasts until ${before.lease_expires_at}`
    }
    if (move === 'requeue' || (move === 'abandon' && after.last_error === before.last_error))
      return this.#isWithHandler(attempt)
        ? 'its handler still runs'
        : this.#requeueFlaw(attempt, move)
    return this.#failureFlaw(attempt, move, before, after)
  }

  /** Only who shuts down gives back what it could have done. */
  #requeueFlaw({ employee }: Attempt, move: Move): string | null {
    if (move === 'abandon' || employee === null || employee.stoppingAt !== null) return null
    return 'nobody told its worker to stop'
  }

  #failureFlaw(
    attempt: Attempt,
    move: Move,
    before: Stored,
    { last_error }: Stored,
  ): string | null {
    const isTimeout = last_error !== attempt.thrown
    if (isTimeout) {
      if (!/timed out after/.test(last_error ?? '')) return `nobody said "${last_error}"`
      if (attempt.beganAt === null) return 'its handler has not begun'
      if (this.#nowMs - attempt.beganAt < attempt.timeoutMs - clockMs) return 'its time is not over'
      if (this.#isWithHandler(attempt)) return 'its handler still runs'
    } else if (attempt.thrown === null) return 'its handler has not failed'
    const isLast = before.retry_count >= before.max_retries || (attempt.isPermanent && !isTimeout)
    if (move === 'fail' && !isLast) return 'it has retries left'
    if (move === 'retry' && isLast) return 'it has no retries left'
    return null
  }

  /** Whether its handler runs, and has not had its time to end after it was aborted. */
  #isWithHandler({ beganAt, endedAt, abortedAt, employee }: Attempt): boolean {
    if (beganAt === null || endedAt !== null || employee === null) return false
    if (employee.isExiting || employee.process.isDead) return false
    return abortedAt === null || this.#nowMs - abortedAt < employee.endMs - clockMs
  }

  began(task: { id: string; lease_id: string | null }, stored: Stored | undefined): Attempt {
    const attempt = this.#byLease.get(task.lease_id as string)
    if (!attempt) {
      this.#violated(`${task.id} began under ${task.lease_id}, which nobody gave`)
      throw new Error('There is no such claim.')
    }
    const { id, employee } = attempt
    if (attempt.beganAt !== null) this.#violated(`the handler of ${id} began twice for one claim`)
    attempt.beganAt = this.#nowMs
    if (stored?.lease_id !== attempt.leaseId && this.isTimely)
      this.#violated(`the handler of ${id} began after its lease was lost`)
    if (employee) this.#checkConcurrency(employee, attempt)
    const others = this.#running.get(id) ?? new Set()
    for (const other of others) this.#checkApart(other)
    this.#running.set(id, others.add(attempt))
    return attempt
  }

  /** Those that were given up, or whose task is another's, do not count. */
  #checkConcurrency(employee: Employee, begun: Attempt): void {
    employee.running.add(begun)
    const left = [...employee.running].filter((each) => this.#isWithHandler(each)).length
    if (left > employee.concurrency) this.#violated(`${employee.id} runs ${left} handlers at once`)
  }

  /** Another attempt begins: this one must not be running. */
  #checkApart(other: Attempt): void {
    const { employee, endedAt, id, end } = other
    if (!employee || endedAt !== null || employee.process.isDead || employee.isExiting) return
    const wasGivenUp = end !== null && !end.isMonitors
    if (wasGivenUp || !this.isCalm || (other.isBlocking && !employee.hasThread)) return
    // Where a request takes long, the lease may not be extended in time at the limit.
    if (this.#isSlow && this.#nowMs > Number(other.beganAt) + other.timeoutMs - slowMs) return
    // A handler that can't be aborted, for it blocks, keeps its lease for as long as it may take to end and to report.
    const leftMs = other.timeoutMs + employee.endMs + reportMs
    if (other.isBlocking && this.#nowMs > Number(other.beganAt) + leftMs) return
    this.#violated(`${id} is begun though ${employee.id} still runs it`)
  }

  ended(attempt: Attempt): void {
    const { employee, id } = attempt
    attempt.endedAt = this.#nowMs
    employee?.running.delete(attempt)
    this.#running.get(id)?.delete(attempt)
    this.#checkAborted(attempt)
  }

  /** What its worker tells of it. */
  told({ type, task }: WorkerEvent, employee: Employee): void {
    const attempt = this.#byLease.get(task.lease_id ?? '') ?? this.#byWorker(task.id, employee)
    employee.told.set(type, (employee.told.get(type) ?? 0) + 1)
    if (!attempt) this.#violated(`${employee.id} tells ${type} of ${task.id}, never claimed`)
    if (!attempt || type === 'started') return
    if (attempt.told !== null)
      this.#violated(`${employee.id} tells ${attempt.told} and ${type} of ${task.id}`)
    attempt.told = type
    const expected = moveOfEvent[type]
    const { end } = attempt
    const isMonitors = end?.isMonitors === true
    if (expected && (end?.move !== expected || isMonitors))
      this.#violated(
        `${employee.id} tells ${type} of ${task.id}, and the store has ${shownEnd(end)}`,
      )
    if (type === 'lost' && !isMonitors)
      this.#violated(`${employee.id} tells ${task.id} was lost, and the store has ${shownEnd(end)}`)
    if (type === 'unreported' && employee.stoppingAt === null)
      this.#violated(`${employee.id} gave up reporting ${task.id} though nobody told it to stop`)
  }

  /** The last claim of this worker, of which the end was told without its lease. */
  #byWorker(id: string, employee: Employee): Attempt | undefined {
    return [...this.#byLease.values()]
      .reverse()
      .find((each) => each.id === id && each.workerId === employee.id && each.told === null)
  }

  /** Handlers are aborted in time: at their limit, and when somebody has asked for it. */
  #checkAborted(attempt: Attempt): void {
    const { beganAt, abortedAt, cancelAskedAt, isBlocking, isExtended, timeoutMs, id } = attempt
    if (beganAt === null || !this.isCalm || isBlocking || attempt.employee?.process.isDead) return
    const until = abortedAt ?? this.#nowMs
    const [abortMs, cancelMs] = this.#isSlow ? boundsSlow : bounds
    if (until - beganAt > timeoutMs + abortMs && !isExtended)
      this.#violated(`the handler of ${id} was not aborted after its ${timeoutMs} ms`)
    const askedAt = Math.max(cancelAskedAt ?? Number.POSITIVE_INFINITY, beganAt)
    if (until - askedAt > cancelMs)
      this.#violated(`the handler of ${id} did not hear in ${cancelMs} ms that it was cancelled`)
  }

  /** Who has been stopped has told the end of all that it began. */
  stopped(employee: Employee): void {
    for (const attempt of this.#byLease.values())
      if (attempt.employee === employee && attempt.beganAt !== null && attempt.told === null)
        this.#violated(`${employee.id} has ended, and told no end of ${attempt.id}`)
      else if (attempt.employee === employee && this.#isWithHandler(attempt))
        this.#violated(`${employee.id} has ended, and still runs ${attempt.id}`)
  }

  find(leaseId: string | null): Attempt | undefined {
    return this.#byLease.get(leaseId ?? '')
  }

  get #nowMs(): number {
    return this.#scene.world.nowMs
  }

  get #wallMs(): number {
    return this.#scene.world.epochMs + Math.floor(this.#scene.world.nowMs)
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}

/** Within how many milliseconds a handler is aborted after its limit, and after it was cancelled. */
const bounds = [2_500, 2_500] as const
const boundsSlow = [15_000, 15_000] as const
const slowMs = 6_000

const shownEnd = (end: Attempt['end']): string =>
  end === null ? 'no end' : `${end.move} (${end.after.last_error})`

/** Whether a monitor has taken the task back. */
const isExpiry = (before: Stored, after: Stored): boolean =>
  after.last_error !== null &&
  after.status !== 'completed' &&
  after.last_error !== before.last_error &&
  /^The lease of .* expired/.test(after.last_error)
