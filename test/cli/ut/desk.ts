import assert from 'node:assert/strict'
import { ut } from '../../../src/cli/ut.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { nextMillisecond } from '../../eventually.ts'
import { newMemory } from '../desk.ts'
import { type Outcome, run, type Setting } from '../terminal.ts'

interface TaskData {
  readonly id: string
  readonly text: string
  readonly done: boolean
  readonly tags: readonly string[]
  readonly created: string
}

/** Someone who works with `ut` on one store, within this process. */
export class Desk {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    return run(ut, args, { ...setting, env: { HOLDFAST_STORE: this.url, ...setting.env } })
  }

  /** What is printed by a command that must succeed and have nothing to remark. */
  async ut(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return stdout
  }

  async lines(...args: string[]): Promise<string[]> {
    return (await this.ut(...args)).split('\n').slice(0, -1)
  }

  /** The envelope, and nothing beside it. */
  async json(...args: string[]) {
    return JSON.parse(await this.ut(...args, '--json'))
  }

  /** Adds a task, later than the one before: processes never add two in the same millisecond, tests do. */
  async add(...args: string[]): Promise<TaskData> {
    await nextMillisecond()
    return (await this.json('add', ...args)).data
  }

  /** What a refusal says with --json, which is also what it says to a person. */
  async refusal(...args: string[]) {
    const plain = await this.run(args)
    const { exit, stdout } = await this.run(['--json', ...args])
    const { v, kind, error } = JSON.parse(stdout)
    assert.deepEqual({ v, kind, exit: plain.exit }, { v: 1, kind: 'error', exit })
    const [first = ''] = plain.stderr.split('\n').filter((line) => !line.includes(': warning: '))
    assert.equal(first, ['ut:', error.message, error.next].filter(Boolean).join(' '))
    return { exit, stdout: plain.stdout, stderr: plain.stderr, error }
  }

  /** Lays down what another program, or an accident, might have. */
  async put(key: string, content: string | Uint8Array): Promise<void> {
    await using store = await openStore(this.url)
    const value = typeof content === 'string' ? new TextEncoder().encode(content) : content
    assert.deepEqual((await store.commit([create(key, value)])).ok, true)
  }

  putTask(task: Pick<TaskData, 'id'> & Partial<TaskData>): Promise<void> {
    const usual = { text: 'Foreign', done: false, tags: [], created: '2025-08-26T13:40:00Z' }
    return this.put(`utask_tasks/${task.id}`, JSON.stringify({ ...usual, ...task }))
  }

  async keys(): Promise<string[]> {
    await using store = await openStore(this.url)
    const keys: string[] = []
    for await (const { key } of store.list('')) keys.push(key)
    return keys
  }
}

export const memoryDesk = (): Desk => new Desk(newMemory())

/** An id that starts so, and goes on with zeros. */
export const idFrom = (start: string): string => start.padEnd(128, '0')

export const short = ({ id }: { readonly id: string }): string => id.slice(0, 12)
