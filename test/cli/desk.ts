import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import type { Program } from '../../src/cli/program/command.ts'
import { openStore, type Store, update } from '../../src/store/index.ts'
import { type Outcome, run, type Setting } from './terminal.ts'

/** What a refusal says. */
interface Refused {
  readonly exit: number
  /** The line for a person, and all that was said to one. */
  readonly line: string
  readonly stderr: string
  readonly code: string
  readonly message: string
  readonly next: string
}

/** Someone who works with a program on one store in one directory, within this process. */
export class ProgramDesk {
  readonly program: Program
  /** Null for the store that the program has by itself. */
  readonly url: string | null
  readonly directory: string

  constructor(program: Program, url: string | null, directory: string) {
    this.program = program
    this.url = url
    this.directory = directory
  }

  protected environment(): Record<string, string> {
    return this.url === null ? {} : { HOLDFAST_STORE: this.url }
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    const env = { ...this.environment(), ...setting.env }
    return run(this.program, args, { cwd: this.directory, ...setting, env })
  }

  /** What is printed by a command that must succeed; notes are no trouble, warnings are. */
  async out(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual({ exit, warned: /warning/.test(stderr) }, { exit: 0, warned: false }, stderr)
    return stdout
  }

  async lines(...args: string[]): Promise<string[]> {
    return (await this.out(...args)).split('\n').slice(0, -1)
  }

  /** The envelope, and nothing beside it. */
  async json(...args: string[]) {
    const { exit, stdout, stderr } = await this.run([...args, '--json'])
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  /** What a refusal says with --json, which is also what it says to a person. */
  refusal(...args: string[]): Promise<Refused> {
    return this.refusalIn({}, ...args)
  }

  async refusalIn(setting: Setting, ...args: string[]): Promise<Refused> {
    const plain = await this.run(args, setting)
    const { exit, stdout } = await this.run(['--json', ...args], setting)
    const { v, kind, error } = JSON.parse(stdout)
    assert.deepEqual({ v, kind, exit: plain.exit }, { v: 1, kind: 'error', exit })
    assert.equal(plain.stdout, '')
    const { name, errorLabel = name } = this.program
    const told = plain.stderr.split('\n').filter((each) => !each.startsWith(`${name}: warning: `))
    const line = told.find((each) => each.startsWith(`${errorLabel}: `)) ?? ''
    assert.ok(line.startsWith(`${errorLabel}: ${error.message}`), line)
    assert.ok(error.next === null || line.endsWith(` ${error.next}`), line)
    return { exit, line, stderr: plain.stderr, ...error }
  }

  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    await using store = await openStore(this.url as string)
    return await use(store)
  }

  /** Overwrites what is stored under a key, as a crash of a disk or another program might. */
  overwriteKey(key: string, change: (value: Uint8Array) => Uint8Array): Promise<void> {
    return this.withStore(async (store) => {
      const entry = await store.get(key)
      assert.ok(entry, key)
      await store.commit([update(entry, change(entry.value))])
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

  /** Lays a file into the directory. */
  place(path: string, text: string): string {
    const file = join(this.directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** A directory below this one, which is made where it is not there. */
  protected below(path: string): string {
    const directory = join(this.directory, path)
    mkdirSync(directory, { recursive: true })
    return directory
  }
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-desk-')))
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

/** A store in memory that nobody else has. */
export const newMemory = (): string => `memory:desk-${process.pid}-${++count}`
