import { EventEmitter } from 'node:events'
import { basename } from 'node:path'
import type { MessagePort, WorkerOptions } from 'node:worker_threads'
import type { Process } from './process.ts'

/** What a program does in a thread, by the name of its file. */
type ThreadProgram = (port: MessagePort, data: unknown, thread: Process) => void

const programs = new Map<string, ThreadProgram>()

/** Says what a file does when it runs in a thread, and who is the process that starts one. */
export function provideThread(file: string, program: ThreadProgram): void {
  programs.set(file, program)
}

let starter: () => Process

export function threadsStartFrom(current: () => Process): void {
  starter = current
}

const startMs = [1, 150] as const
const messageMs = [0.01, 2] as const
const lookMs = 5

/**
 * Stands in for a thread of Node: its program runs within the same process of the simulated world, with a clock and
 * timers of its own, and goes on while the main thread is blocked. Messages take a while, and stay in order.
 */
export class Thread extends EventEmitter {
  readonly #owner = starter()
  readonly #process = this.#owner.thread()
  readonly #port = new Port((message) => this.#send(this.#owner, message, this))
  #isEnded = false
  readonly #lastAt = new Map<Process, number>()

  constructor(file: string, { workerData }: WorkerOptions) {
    super()
    const program = programs.get(basename(file))
    if (!program) throw new Error(`Nobody says what ${file} does in a thread.`)
    const { world } = this.#process
    this.#process.after(world.random.logarithmic(...startMs), () => {
      this.#port.onClose = () => this.#awaitEnd()
      program(this.#port as unknown as MessagePort, workerData, this.#process)
    })
  }

  postMessage(message: unknown): void {
    this.#send(this.#process, message, this.#port)
  }

  terminate(): Promise<number> {
    this.#end()
    return Promise.resolve(1)
  }

  unref(): void {}

  /** It ends as soon as nothing keeps it. */
  #awaitEnd(): void {
    this.#process.world.after(lookMs, this.#process, () => {
      if (this.#process.timerCount > 0) this.#awaitEnd()
      else this.#end()
    })
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#process.kill()
    const { world } = this.#owner
    world.after(world.random.logarithmic(...messageMs), this.#owner, () => this.emit('exit', 1))
  }

  #send(to: Process, message: unknown, target: EventEmitter): void {
    if (this.#process.isDead) return
    const { world } = to
    const at = Math.max(
      world.nowMs + world.random.logarithmic(...messageMs),
      this.#lastAt.get(to) ?? 0,
    )
    this.#lastAt.set(to, at)
    const copy = copied(message)
    world.after(at - world.nowMs, to, () => target.emit('message', copy))
  }
}

/** Ports are passed on as they are. */
const copied = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'port' in message
    ? message
    : structuredClone(message)

/** The thread's own end. What is sent before it listens waits. */
class Port extends EventEmitter {
  onClose = () => {}
  readonly #send: (message: unknown) => void
  readonly #waiting: unknown[] = []
  #isClosed = false

  constructor(send: (message: unknown) => void) {
    super()
    this.#send = send
  }

  override on(name: string, listener: (message: unknown) => void): this {
    super.on(name, listener)
    for (const message of this.#waiting.splice(0)) listener(message)
    return this
  }

  override emit(name: string, message: unknown): boolean {
    if (this.#isClosed) return false
    if (this.listenerCount(name) > 0) return super.emit(name, message)
    this.#waiting.push(message)
    return true
  }

  postMessage(message: unknown): void {
    if (!this.#isClosed) this.#send(message)
  }

  close(): void {
    this.#isClosed = true
    this.onClose()
  }
}
