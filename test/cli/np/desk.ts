import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { np } from '../../../src/cli/np.ts'
import type { Goal, PlanEvent, PlanTask, Session } from '../../../src/plan/index.ts'
import { openStore, type Store, update } from '../../../src/store/index.ts'
import { type Outcome, run, type Setting } from '../terminal.ts'

export interface PlanData {
  readonly session: Session
  readonly goal: Goal | null
  readonly tasks: readonly PlanTask[]
  readonly next: string | null
}

/** An agent that works with `np` on one store in one directory, within this process. */
export class Desk {
  readonly url: string
  readonly directory: string

  constructor(url: string, directory: string) {
    this.url = url
    this.directory = directory
  }

  /** The same store from another directory, which is made where it is not there. */
  in(path: string): Desk {
    const directory = join(this.directory, path)
    mkdirSync(directory, { recursive: true })
    return new Desk(this.url, directory)
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    const env = { HOLDFAST_STORE: this.url, ...setting.env }
    return run(np, args, { cwd: this.directory, ...setting, env })
  }

  /** What is printed by a command that must succeed and have nothing to remark. */
  async np(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return stdout
  }

  async lines(...args: string[]): Promise<string[]> {
    return (await this.np(...args)).split('\n').slice(0, -1)
  }

  /** The envelope, and nothing beside it. */
  async json(...args: string[]) {
    return JSON.parse(await this.np(...args, '--json'))
  }

  async plan(...args: string[]): Promise<PlanData> {
    const { v, kind, data } = await this.json(...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'plan' })
    return data
  }

  async start(): Promise<Session> {
    return (await this.json('s')).data
  }

  /** Starts a session with a goal and tasks of these titles; answers with the ids. */
  async begin(...titles: string[]): Promise<string[]> {
    await this.start()
    await this.np('g', 's', '-t', 'Ship')
    if (titles.length === 0) return []
    const { tasks } = await this.plan('t', 'a', ...titles.flatMap((title) => ['-t', title]))
    return tasks.map(({ id }) => id)
  }

  async events(): Promise<PlanEvent[]> {
    return (await this.json('e', '--all')).data
  }

  /** What a refusal says with --json, which is also what it says to a person. */
  async refusal(...args: string[]) {
    const plain = await this.run(args)
    const { exit, stdout } = await this.run(['--json', ...args])
    const { v, kind, error } = JSON.parse(stdout)
    assert.deepEqual({ v, kind, exit: plain.exit }, { v: 1, kind: 'error', exit })
    assert.equal(plain.stdout, '')
    const [first = ''] = plain.stderr.split('\n').filter((line) => !line.includes(': warning: '))
    assert.equal(first, ['np:', error.message, error.next].filter(Boolean).join(' '))
    return {
      exit,
      stderr: plain.stderr,
      ...(error as { code: string; message: string; next: string }),
    }
  }

  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    await using store = await openStore(this.url)
    return await use(store)
  }

  /** Cuts off the end of what is stored, as a crash of a disk might. */
  truncate(key: string): Promise<void> {
    return this.withStore(async (store) => {
      const entry = await store.get(key)
      assert.ok(entry, key)
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
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-np-')))
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
  new Desk(`memory:np-${process.pid}-${++count}`, newDirectory())

/** The last line that is printed. */
export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) as string
