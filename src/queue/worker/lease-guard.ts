import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker as Thread,
} from 'node:worker_threads'
import type { Head } from '../../store/internal.ts'
import type { Heard, LastWord } from './handover.ts'
import type { Lease } from './lease.ts'

/** A lease to watch over: what the thread is told. Times are milliseconds from now on. */
export interface GuardedLease {
  readonly id: string
  readonly leaseId: string
  /** How long it lasts with each renewal, and how much is left of it. */
  readonly leaseMs: number
  readonly leftMs: number
  /** Infinite until the handler starts. */
  readonly limitMs: number
  readonly endMs: number
}

export type ToThread =
  | { readonly type: 'add'; readonly leases: readonly GuardedLease[] }
  | { readonly type: 'drop'; readonly leaseIds: readonly string[] }
  | { readonly type: 'raise'; readonly leaseId: string; readonly limitMs: number }
  | {
      readonly type: 'tell'
      readonly words: readonly LastWord[]
      /** Whose registration goes with them. */
      readonly workerId: string
      /** Where the answer goes, and what is woken by it. */
      readonly port: MessagePort
      readonly flag: Int32Array
    }
  | { readonly type: 'stop' }

/** A lease that was renewed: the state of its task, and until when it lasts and would have lasted. */
export interface Renewal {
  /** The state that was changed; null where it is not known. */
  readonly from: string | null
  readonly revision: string
  readonly marks: readonly Head[]
  readonly expiresAt: string
  readonly endsAt: number
  readonly endedAt: number
}

/** Times are counted from the epoch here, for each thread has its own `performance.now()`. */
export type FromThread =
  | (Renewal & { readonly type: 'renewed'; readonly leaseId: string })
  /** Whether it has a store to write to. */
  | { readonly type: 'ready'; readonly canTell: boolean }
  | { readonly type: 'warning'; readonly warning: string }

/** How long the thread may take to end by itself, and how long to wait for its beginning. */
const stopMsMax = 3_000
const startMsMax = 10_000
/** How long this thread may stand still while the other one writes. */
const tellMsMax = 5_000

/**
 * Watches over leases from a thread with a connection of its own: it renews them, and extends those whose handlers
 * are over their limit, also while a handler blocks the event loop.
 */
export class LeaseGuard {
  readonly #thread: Thread
  readonly #ended: Promise<void>
  readonly #leases = new Map<string, Lease>()
  #added: GuardedLease[] = []
  #dropped: string[] = []
  #isScheduled = false
  /** Whether {@link LeaseGuard.tellBlocking} can write anything. */
  canTell = false
  /** Settles once the thread watches, has failed, or takes too long for anybody to wait. */
  readonly ready: Promise<void>

  constructor(url: string, onWarning: (warning: string) => void) {
    // Files that it has looked into stay open: to close one would drop the locks that this process has on it.
    this.#thread = new Thread(threadFile(), { workerData: { url }, trackUnmanagedFds: false })
    this.#thread.unref()
    let isReady = () => {}
    this.ready = new Promise((resolve) => {
      const timer = setTimeout(resolve, startMsMax)
      isReady = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#thread.on('message', (message: FromThread) => {
      if (message.type === 'warning') onWarning(message.warning)
      else if (message.type === 'ready') {
        this.canTell = message.canTell
        isReady()
      } else this.#leases.get(message.leaseId)?.renewed(inOwnTime(message))
    })
    this.#thread.on('exit', () => {
      this.canTell = false
      isReady()
    })
    this.#thread.on('error', (error: Error) =>
      onWarning(`The thread that watches over leases has failed: ${error.message}`),
    )
    this.#ended = new Promise((resolve) => this.#thread.on('exit', () => resolve()))
  }

  /** Also where it is known already: then its handler starts. */
  add(lease: Lease): void {
    const { id, leaseId, leaseMs, limit, endMs } = lease
    const now = performance.now()
    this.#leases.set(leaseId, lease)
    const [leftMs, limitMs] = [limit.leaseEndsAt - now, limit.at - now]
    this.#added.push({ id, leaseId, leaseMs, leftMs, limitMs, endMs })
    this.#schedule()
  }

  drop({ leaseId }: Lease): void {
    if (!this.#leases.delete(leaseId)) return
    const at = this.#added.findIndex((lease) => lease.leaseId === leaseId)
    // Many tasks are done before the thread would have heard of them.
    if (at >= 0) this.#added.splice(at, 1)
    else this.#dropped.push(leaseId)
    this.#schedule()
  }

  raise({ leaseId, limit }: Lease): void {
    if (!this.#leases.has(leaseId)) return
    this.flush()
    this.#post({ type: 'raise', leaseId, limitMs: limit.at - performance.now() })
  }

  /** Tells the thread at once. Must be done before a handler may block the event loop. */
  flush(): void {
    this.#isScheduled = false
    if (this.#added.length > 0) this.#post({ type: 'add', leases: this.#added })
    if (this.#dropped.length > 0) this.#post({ type: 'drop', leaseIds: this.#dropped })
    this.#added = []
    this.#dropped = []
  }

  /**
   * Has the thread write these, and end the worker's registration, while this one stands still: nothing else goes on here until
   * that is done. What it heard of each; null where the thread has no store.
   */
  tellBlocking(words: readonly LastWord[], workerId: string): readonly Heard[] | null {
    const { port1, port2 } = new MessageChannel()
    const flag = new Int32Array(new SharedArrayBuffer(4))
    this.flush()
    const tell = { type: 'tell', words, workerId, port: port2, flag } satisfies ToThread
    this.#thread.postMessage(tell, [port2])
    Atomics.wait(flag, 0, 0, tellMsMax)
    const answer = receiveMessageOnPort(port1) as { message: readonly Heard[] | null } | undefined
    port1.close()
    return answer === undefined ? [] : answer.message
  }

  async stop(): Promise<void> {
    this.#post({ type: 'stop' })
    const timer = setTimeout(() => void this.#thread.terminate(), stopMsMax)
    await this.#ended
    clearTimeout(timer)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.flush())
  }

  #post(message: ToThread): void {
    this.#thread.postMessage(message)
  }
}

const inOwnTime = (renewal: Renewal): Renewal => ({
  ...renewal,
  endsAt: renewal.endsAt - performance.timeOrigin,
  endedAt: renewal.endedAt - performance.timeOrigin,
})

/** Beside this module in the package; else from where a bundle of it lies, or a checkout that runs from its sources. */
function threadFile(): string {
  const places = [
    new URL('./lease-thread.js', import.meta.url),
    new URL('../queue/worker/lease-thread.js', import.meta.url),
    new URL('../../../dist/queue/worker/lease-thread.js', import.meta.url),
  ].map((place) => fileURLToPath(place))
  return places.find((place) => existsSync(place)) ?? (places[0] as string)
}
