import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { openStore, type Store, update } from '../../../src/store/index.ts'
import type { Task } from '../../../src/tree/index.ts'
import { type Outcome, run, type Setting } from '../terminal.ts'

/** An agent that works with `coven` on one store in one directory, within this process. */
export class Desk {
  /** Null for the workspace's own. */
  readonly url: string | null
  readonly directory: string
  readonly agent: string | null

  constructor(url: string | null, directory: string, agent: string | null = 'ann') {
    this.url = url
    this.directory = directory
    this.agent = agent
  }

  /** The same store from another directory, which is made where it is not there. */
  in(path: string): Desk {
    const directory = join(this.directory, path)
    mkdirSync(directory, { recursive: true })
    return new Desk(this.url, directory, this.agent)
  }

  as(agent: string | null): Desk {
    return new Desk(this.url, this.directory, agent)
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    const env = {
      ...(this.url === null ? {} : { HOLDFAST_STORE: this.url }),
      ...(this.agent === null ? {} : { COVEN_AGENT_ID: this.agent }),
      ...setting.env,
    }
    return run(coven, args, { cwd: this.directory, ...setting, env })
  }

  /** What is printed by a command that must succeed; notes are no trouble, warnings are. */
  async coven(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual(
      { exit, warnings: /warning/.test(stderr) },
      { exit: 0, warnings: false },
      stderr,
    )
    return stdout
  }

  async lines(...args: string[]): Promise<string[]> {
    return (await this.coven(...args)).split('\n').slice(0, -1)
  }

  /** The envelope, and nothing beside it. */
  async json(...args: string[]) {
    const { exit, stdout, stderr } = await this.run([...args, '--json'])
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  /** `coven task …` that answers with one task. */
  async task(...args: string[]): Promise<Task> {
    const { v, kind, data } = await this.json('task', ...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'task' })
    return data
  }

  /** Adds a task, later than the one before: processes hardly add two in the same millisecond, tests do. */
  async create(title: string, ...args: string[]): Promise<Task> {
    await sleep(2)
    return this.task('create', '--title', title, ...args)
  }

  /** A task that was claimed by this agent. */
  async claimed(title = 'Work', ...args: string[]): Promise<Task> {
    return this.task('claim', (await this.create(title, ...args)).id)
  }

  /** A task that is in this status. */
  async withStatus(status: string): Promise<Task> {
    if (status === 'open') return this.create('Work')
    const { id } = await this.claimed()
    if (status === 'blocked') return this.task('block', id)
    if (status === 'in_progress') return this.task('show', id)
    return this.task('complete', id, ...(status === 'closed' ? ['--skip-review'] : []))
  }

  /** What a refusal says with --json, which is also what it says to a person. */
  async refusal(...args: string[]) {
    const plain = await this.run(args)
    const { exit, stdout } = await this.run(['--json', ...args])
    const { v, kind, error } = JSON.parse(stdout)
    assert.deepEqual({ v, kind, exit: plain.exit }, { v: 1, kind: 'error', exit })
    assert.equal(plain.stdout, '')
    const [line = ''] = plain.stderr.split('\n').filter((each) => !each.startsWith('coven: '))
    assert.ok(line.startsWith(`Error: ${error.message}`), line)
    assert.ok(error.next === null || line.endsWith(` ${error.next}`), line)
    return { exit, line, stderr: plain.stderr, ...(error as { code: string; message: string }) }
  }

  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    await using store = await openStore(this.url as string)
    return await use(store)
  }

  /** Cuts off the end of what is stored of a task, as a crash of a disk might. */
  truncate(id: string): Promise<void> {
    return this.withStore(async (store) => {
      const entry = await store.get(`coven/tasks/${id}`)
      assert.ok(entry, id)
      await store.commit([update(entry, entry.value.slice(0, 10))])
    })
  }

  /** Everything that is stored, as text. */
  contents(): Promise<string[]> {
    return this.withStore(async (store) => {
      const found: string[] = []
      for await (const { key, value } of store.scan('')) found.push(`${key} ${Buffer.from(value)}`)
      return found
    })
  }

  /** Lays a file into the workspace. */
  place(path: string, text: string): string {
    const file = join(this.directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-coven-')))
let count = 0

/** Removes what the tests of a file made; call it once, at the top. */
export function cleanUp(): void {
  afterAll(() => rmSync(root, { recursive: true, force: true }))
}

/** A directory of its own, that is not there for anybody else. */
export function newDirectory(): string {
  const path = join(root, String(++count))
  mkdirSync(path, { recursive: true })
  return path
}

export const memoryDesk = (): Desk =>
  new Desk(`memory:coven-${process.pid}-${++count}`, newDirectory())

/** An id that is nobody's. */
export const nobody = '01900000-0000-7000-8000-000000000000'
