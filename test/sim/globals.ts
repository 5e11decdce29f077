import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import timersPromises from 'node:timers/promises'
import workerThreads from 'node:worker_threads'
import { Random } from './random.ts'
import { real } from './real.ts'
import { Thread, threadsStartFrom } from './thread.ts'
import type { Scheduled, World } from './world.ts'

/*
 * Replaces time and chance for everything that runs, so that product code need not know that it is simulated. What is
 * built in is replaced where ES modules look it up, which is why imports of it see the change.
 */

let world: World | null = null
/** How many times somebody has asked for random bytes. */
export let fillCount = 0
/** What is drawn outside of a run must not differ from one start of the program to the next either. */
let random = new Random(0)

/** From now on time is this world's, until the next. */
export function inhabit(next: World | null): void {
  world = next
  random = next?.random ?? new Random(0)
}

const wallMs = (): number =>
  world === null
    ? real.Date.now()
    : (world.current?.wallMs() ?? world.epochMs + Math.floor(world.nowMs))

const monotonicMs = (): number =>
  world === null ? real.now() : (world.current?.monotonicMs() ?? world.nowMs)

/** What `setTimeout` gives: enough of it for programs that pass it back, or unref it. */
class Timer {
  readonly #start: () => Scheduled
  #scheduled: Scheduled

  constructor(start: () => Scheduled) {
    this.#start = start
    this.#scheduled = start()
  }

  cancel(): void {
    this.#scheduled.cancel()
  }

  refresh(): this {
    this.cancel()
    this.#scheduled = this.#start()
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.cancel()
  }
}

function inhabited(): World {
  if (world === null) throw new Error('A timer was set outside of a simulated world.')
  return world
}

function schedule(ms: number, run: () => void): Scheduled {
  const here = inhabited()
  return here.current?.timer(ms, run) ?? here.after(ms, null, run)
}

const msOf = (ms: unknown): number => (Number(ms) >= 1 ? Number(ms) : 1)

type Callback = (...args: unknown[]) => void

const setTimeoutSimulated = (run: Callback, ms?: number, ...args: unknown[]): Timer =>
  new Timer(() => schedule(msOf(ms), () => run(...args)))

function setIntervalSimulated(run: Callback, ms?: number, ...args: unknown[]): Timer {
  const timer: Timer = setTimeoutSimulated(() => {
    timer.refresh()
    run(...args)
  }, ms)
  return timer
}

/** It fires even if its process dies: what one process leaves in a module would hold up the others, who share it here. */
const setImmediateSimulated = (run: Callback, ...args: unknown[]): Timer =>
  new Timer(() => {
    const here = inhabited()
    const owner = here.current
    return here.after(0, null, () => here.as(owner, () => run(...args)))
  })

const cancel = (timer: unknown): void => {
  if (timer instanceof Timer) timer.cancel()
}

interface Waiting {
  readonly signal?: AbortSignal
}

const wait = <T>(ms: number, value: T, { signal }: Waiting = {}): Promise<T> =>
  new Promise((resolve, reject) => {
    const fail = () =>
      reject(
        Object.assign(new Error('The operation was aborted'), {
          name: 'AbortError',
          code: 'ABORT_ERR',
          cause: signal?.reason,
        }),
      )
    if (signal?.aborted) return fail()
    const end = () => {
      scheduled.cancel()
      fail()
    }
    const scheduled = schedule(ms, () => {
      signal?.removeEventListener('abort', end)
      resolve(value)
    })
    signal?.addEventListener('abort', end, { once: true })
  })

/** `new Date()` and `Date.now()` by the clock of whoever asks; all else is as it was. */
const SimulatedDate = new Proxy(real.Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [wallMs()] : args, newTarget as new () => object),
  apply: () => new real.Date(wallMs()).toString(),
  get: (target, name, receiver) => (name === 'now' ? wallMs : Reflect.get(target, name, receiver)),
})

/** Replaces all of it. There is no way back: the program does nothing else. */
export function replaceTimeAndChance(): void {
  Object.assign(globalThis, {
    Date: SimulatedDate,
    setTimeout: setTimeoutSimulated,
    setInterval: setIntervalSimulated,
    setImmediate: setImmediateSimulated,
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  })
  real.performance.now = monotonicMs
  Object.defineProperty(real.performance, 'timeOrigin', {
    get: () => world?.current?.originMs ?? world?.epochMs ?? real.timeOrigin,
  })
  Object.assign(timersPromises, {
    setTimeout: <T>(ms: number, value: T, options?: Waiting) => wait(msOf(ms), value, options),
    setImmediate: <T>(value: T, options?: Waiting) => wait(0, value, options),
  })
  replaceChance()
  replaceThreads()
  // Ids may follow from the address of the machine; a seed must not.
  Object.assign(os, { networkInterfaces: () => ({}) })
  syncBuiltinESMExports()
}

/** Threads are events of their process like others. Nothing can be waited for within a turn: a wait takes all of its time. */
function replaceThreads(): void {
  Object.assign(workerThreads, { Worker: Thread })
  threadsStartFrom(() => {
    const { current } = inhabited()
    if (current === null) throw new Error('A thread was started by no process.')
    return current
  })
  Atomics.wait = (_array: unknown, _index: number, _value: unknown, ms = 0) => {
    inhabited().current?.block(ms)
    return 'timed-out'
  }
}

function replaceChance(): void {
  Math.random = () => random.next()
  const fill = <T extends ArrayBufferView>(target: T): T => {
    fillCount++
    random.bytes(new Uint8Array(target.buffer, target.byteOffset, target.byteLength))
    return target
  }
  const randomBytes = (size: number): Buffer => fill(Buffer.alloc(size))
  const randomUUID = (): string => {
    const bytes = randomBytes(16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = bytes.toString('hex')
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join('-')
  }
  Object.assign(crypto, { randomBytes, randomUUID, randomFillSync: fill })
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues: fill })
}
