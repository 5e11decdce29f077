import assert from 'node:assert/strict'
import { Queue, type Task, Worker, type WorkerOptions } from '../../src/queue/index.ts'
import { create, type Store, update } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'

/** Retries without a wait to speak of. */
export const soon = { initial_interval_ms: 1, max_interval_ms: 1, jitter_percent: 0 }

/** A queue on a store, and workers that end with the test. */
export class Bench implements AsyncDisposable {
  readonly queue: Queue
  readonly store: Store
  readonly warnings: string[] = []
  readonly #workers: Worker[] = []

  constructor(store: Store) {
    this.store = store
    this.queue = new Queue(store, { onWarning: (warning) => this.warnings.push(warning) })
  }

  /** A worker that runs, without a monitor unless one is asked for. */
  async worker(options: WorkerOptions, store = this.store): Promise<Worker> {
    const worker = new Worker(store, {
      monitor: false,
      onWarning: (warning) => this.warnings.push(warning),
      ...options,
    })
    this.#workers.push(worker)
    await worker.start()
    return worker
  }

  /** The task once it is in a status. */
  until(id: string, isIt: (task: Task) => boolean): Promise<Task> {
    return eventually(async () => {
      const task = await this.queue.get(id)
      assert.ok(isIt(task), `still ${task.status}: ${JSON.stringify(task)}`)
      return task
    })
  }

  /** Puts something under a key, whatever is there. */
  async put(key: string, value: string): Promise<void> {
    const bytes = new TextEncoder().encode(value)
    const entry = await this.store.get(key)
    const write = entry ? update(entry, bytes) : create(key, bytes)
    assert.ok((await this.store.commit([write])).ok)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop({ deadlineMs: 0 })))
    await this.queue.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** A promise that somebody else keeps. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Ends when the signal is aborted, by throwing its reason. */
export const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
