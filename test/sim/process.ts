import type { Scheduled, World } from './world.ts'

/** Something that happens to a process right before or after one of its next commits is applied. */
interface Mishap {
  commitsLeft: number
  readonly when: 'before' | 'after'
  readonly happen: () => void
}

/**
 * A process of the simulated machine: code with timers and a clock of its own, which can be paused, and killed at any
 * moment. What it asked of the store before may still arrive there.
 */
export class Process {
  readonly name: string
  readonly world: World
  isDead = false
  pausedUntil = 0
  /** How far its clock is off, beside what its machine's is. */
  clockOffsetMs = 0
  /** Threads beside the main one: each a process of its own to the world, but for its life and its clock. */
  readonly threads: Process[] = []
  /** Of a thread, the process that it is a part of. */
  owner: Process | null = null
  /** Settles when it is killed. */
  readonly death: Promise<void>
  #die = () => {}
  readonly #startedMs: number
  readonly #timers = new Set<Scheduled>()
  #mishaps: Mishap[] = []

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
    this.#startedMs = world.nowMs
    this.death = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  /** Milliseconds since the epoch by its own clock, which may be wrong. */
  wallMs(): number {
    const { epochMs, nowMs, clockOffsetMs } = this.world
    return epochMs + Math.floor(nowMs + clockOffsetMs + (this.owner ?? this).clockOffsetMs)
  }

  /** When it began, as `performance.timeOrigin` tells. */
  get originMs(): number {
    return this.world.epochMs + this.#startedMs
  }

  /** Milliseconds since it began: never jumps, and goes on while it is paused. */
  monotonicMs(): number {
    return this.world.nowMs - this.#startedMs
  }

  /** As SIGSTOP, and SIGCONT after a while. */
  pause(ms: number): void {
    for (const each of [this, ...this.threads]) each.block(ms)
  }

  /** As code that does not let go of the event loop: other threads go on. */
  block(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.world.nowMs + ms)
  }

  /** Another thread of the same process. */
  thread(): Process {
    const thread = new Process(this.world, `${this.name} thread`)
    thread.owner = this
    thread.pausedUntil = this.pausedUntil
    this.threads.push(thread)
    return thread
  }

  /** As SIGKILL. */
  kill(): void {
    for (const thread of this.threads) thread.kill()
    this.isDead = true
    this.#timers.clear()
    this.#die()
  }

  /** Something that happens right before or after the nth of its commits from now on is applied. */
  atCommit(nth: number, when: Mishap['when'], happen: () => void): void {
    this.#mishaps.push({ commitsLeft: nth, when, happen })
  }

  /** Applies a commit of this process, unless it dies right before. */
  committing(apply: () => void): void {
    const due = this.#mishaps.filter((mishap) => --mishap.commitsLeft === 0)
    if (due.length > 0) this.#mishaps = this.#mishaps.filter((mishap) => !due.includes(mishap))
    for (const { when, happen } of due) if (when === 'before') happen()
    if (this.isDead && due.length > 0) return
    apply()
    for (const { when, happen } of due) if (when === 'after') happen()
  }

  /** Something that reaches it, such as the answer of the store. */
  after(ms: number, run: () => void): Scheduled {
    return this.world.after(ms, this, run)
  }

  /** A timer that its own code has set. */
  timer(ms: number, run: () => void): Scheduled {
    const scheduled = this.after(ms, () => {
      this.#timers.delete(timer)
      run()
    })
    const timer = {
      cancel: () => {
        this.#timers.delete(timer)
        scheduled.cancel()
      },
    }
    this.#timers.add(timer)
    return timer
  }

  /** How many of its timers have not fired. */
  get timerCount(): number {
    return this.#timers.size
  }
}
