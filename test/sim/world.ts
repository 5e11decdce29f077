import { Process } from './process.ts'
import type { Random } from './random.ts'
import { steps } from './real.ts'

/** Something that happens at a virtual time: a timer, the arrival of a request, the arrival of its answer. */
interface Event {
  at: number
  readonly order: number
  /** Whose code goes on; null where it is nobody's, such as a request that is already on its way. */
  readonly process: Process | null
  readonly run: () => void
  isCanceled: boolean
}

export interface Scheduled {
  cancel(): void
}

/** What ends a run that does not end by itself. */
interface Bounds {
  readonly eventsMax: number
  readonly virtualMsMax: number
}

export class StuckError extends Error {}

/**
 * Virtual time. Events happen one at a time, in order; between two of them, every promise that can settle does. So one
 * seed gives one order, and code that runs belongs to exactly one process: the one whose event it follows from.
 */
export class World {
  /** Milliseconds since the run began. */
  nowMs = 0
  /** When the run began, in milliseconds since the epoch. */
  readonly epochMs: number
  readonly random: Random
  /** Whose code is running; null for the code of the simulator itself. */
  current: Process | null = null
  eventCount = 0
  /** How far the clock of the machine is off that all processes share where the store has no clock. */
  clockOffsetMs = 0
  readonly #bounds: Bounds
  readonly #heap: Event[] = []
  #order = 0

  constructor(random: Random, epochMs: number, bounds: Bounds) {
    this.random = random
    this.epochMs = epochMs
    this.#bounds = bounds
  }

  process(name: string): Process {
    return new Process(this, name)
  }

  /** Runs it as part of a process, after so many milliseconds. */
  after(ms: number, process: Process | null, run: () => void): Scheduled {
    const event = {
      at: this.nowMs + Math.max(0, ms),
      order: this.#order++,
      process,
      run,
      isCanceled: false,
    }
    this.#push(event)
    return {
      cancel() {
        event.isCanceled = true
      },
    }
  }

  /** A pause of the simulator's own code, in virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, null, resolve))
  }

  /** Runs code as a process would: what it schedules is the process's. */
  as<T>(process: Process | null, run: () => T): T {
    const before = this.current
    this.current = process
    try {
      return run()
    } finally {
      this.current = before
    }
  }

  /** Lets events happen until the promise settles. */
  async until<T>(done: Promise<T>): Promise<T> {
    let isDone = false
    const over = () => {
      isDone = true
    }
    done.then(over, over)
    await steps(() => {
      this.current = null
      if (isDone) return false
      const event = this.#next()
      if (event === null) throw new StuckError('Nothing is left to happen, and nobody is done.')
      this.#check()
      this.current = event.process
      event.run()
      return true
    })
    return done
  }

  #check(): void {
    this.eventCount++
    if (this.eventCount > this.#bounds.eventsMax)
      throw new StuckError(`Still not done after ${this.#bounds.eventsMax} events.`)
    if (this.nowMs > this.#bounds.virtualMsMax)
      throw new StuckError(`Still not done after ${this.#bounds.virtualMsMax} virtual ms.`)
  }

  /** The next event of a process that lives. Those of one that is paused wait until it goes on. */
  #next(): Event | null {
    for (;;) {
      const event = this.#pop()
      if (event === undefined) return null
      if (event.isCanceled || event.process?.isDead) continue
      this.nowMs = Math.max(this.nowMs, event.at)
      const pausedUntil = event.process?.pausedUntil ?? 0
      if (pausedUntil <= this.nowMs) return event
      event.at = pausedUntil
      this.#push(event)
    }
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (isBefore(heap[above] as Event, event)) break
      heap[at] = heap[above] as Event
      at = above
    }
    heap[at] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const [top] = heap
    const last = heap.pop()
    if (last === undefined || last === top) return top
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event))
        below++
      if (isBefore(last, heap[below] as Event)) break
      heap[at] = heap[below] as Event
      at = below
    }
    heap[at] = last
    return top
  }
}

const isBefore = (a: Event, b: Event): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
