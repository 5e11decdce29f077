import assert from 'node:assert/strict'
import {
  type Task,
  type TaskError,
  TaskManager,
  type TaskManagerOptions,
} from '../../src/jobs/index.ts'
import { create, type Store, update } from '../../src/store/index.ts'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (value: Uint8Array | null | undefined): string | null =>
  value ? new TextDecoder().decode(value) : null

/** A clock that a test sets. */
export class TestClock {
  ms = Date.parse('2026-01-02T03:04:05.678Z')
  readonly now = (): number => this.ms
}

type ErrorClass = new (...args: never[]) => TaskError

/** Fails unless the call is refused with exactly this class, and its code. */
export async function assertRefused(
  call: Promise<unknown> | (() => Promise<unknown>),
  kind: ErrorClass,
  code?: string,
): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof kind, `${error} is no ${kind.name}`)
    assert.equal(error.name, kind.name)
    if (code !== undefined) assert.equal(error.code, code)
    return true
  })
}

/** A manager, and tasks of it in each status. */
export class Bench {
  readonly manager: TaskManager
  readonly store: Store
  #count = 0

  constructor(store: Store, options: TaskManagerOptions = {}) {
    this.store = store
    this.manager = new TaskManager(store, options)
  }

  async pending(maxAttempts = 0): Promise<string> {
    return this.manager.submit({
      idempotencyKey: `bench-${++this.#count}`,
      payload: bytes('x'),
      maxAttempts,
    })
  }

  async claimed(maxAttempts = 0, workerId = 'worker-a'): Promise<string> {
    const id = await this.pending(maxAttempts)
    await this.manager.claim(id, workerId)
    return id
  }

  async completed(): Promise<string> {
    const id = await this.claimed()
    await this.manager.complete(id, bytes('done'))
    return id
  }

  async failed(): Promise<string> {
    const id = await this.claimed(1)
    await this.manager.fail(id, new Error('broken'))
    return id
  }

  async status(id: string): Promise<Task['status']> {
    return (await this.manager.get(id)).status
  }

  /** Puts something under a key, whatever is there. */
  async put(key: string, value: string): Promise<void> {
    const entry = await this.store.get(key)
    const write = entry ? update(entry, bytes(value)) : create(key, bytes(value))
    assert.ok((await this.store.commit([write])).ok)
  }
}

/** A Standard Schema by a function that says what is wrong, or null. */
export const schemaOf = <T>(flaw: (value: unknown) => string | null) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => {
      const message = flaw(value)
      return message === null ? { value: value as T } : { issues: [{ message, path: ['at'] }] }
    },
  },
})
