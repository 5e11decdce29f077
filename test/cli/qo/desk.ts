import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { qo } from '../../../src/cli/qo.ts'
import { type Handler, Queue, type Task, Worker } from '../../../src/queue/index.ts'
import { openStore, type Store, update } from '../../../src/store/index.ts'
import { type Outcome, run, type Setting } from '../terminal.ts'

/** Someone who works with `qo` on one store, within this process. */
export class Desk {
  readonly url: string
  readonly directory: string

  constructor(url: string, directory: string) {
    this.url = url
    this.directory = directory
  }

  /** Transcripts may ask for another directory; a queue does not care. */
  in(_path: string): Desk {
    return this
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    const env = { HOLDFAST_STORE: this.url, ...setting.env }
    return run(qo, args, { cwd: this.directory, ...setting, env })
  }

  /** What is printed by a command that must succeed; notes are no trouble, warnings are. */
  async qo(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual({ exit, warned: /warning/.test(stderr) }, { exit: 0, warned: false }, stderr)
    return stdout
  }

  async lines(...args: string[]): Promise<string[]> {
    return (await this.qo(...args)).split('\n').slice(0, -1)
  }

  /** The envelope, and nothing beside it. */
  async json(...args: string[]) {
    const { exit, stdout, stderr } = await this.run([...args, '--json'])
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  /** The task that `qo submit` makes. */
  async submit(...args: string[]): Promise<Task> {
    const { v, kind, data } = await this.json('submit', ...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'task' })
    return data
  }

  async status(id: string): Promise<Task> {
    return (await this.json('status', id)).data
  }

  /** What a refusal says with --json, which is also what it says to a person. */
  async refusal(...args: string[]) {
    return this.refusalIn({}, ...args)
  }

  async refusalIn(setting: Setting, ...args: string[]) {
    const plain = await this.run(args, setting)
    const { exit, stdout } = await this.run(['--json', ...args], setting)
    const { v, kind, error } = JSON.parse(stdout)
    assert.deepEqual({ v, kind, exit: plain.exit }, { v: 1, kind: 'error', exit })
    assert.equal(plain.stdout, '')
    const line = plain.stderr.split('\n').find((each) => !/^qo: warning/.test(each)) ?? ''
    assert.ok(line.startsWith(`qo: ${error.message}`), line)
    assert.ok(error.next === null || line.endsWith(` ${error.next}`), line)
    return { exit, line, stderr: plain.stderr, ...(error as { code: string; message: string }) }
  }

  async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    await using store = await openStore(this.url)
    return await use(store)
  }

  withQueue<T>(use: (queue: Queue, store: Store) => Promise<T>): Promise<T> {
    return this.withStore((store) => use(new Queue(store), store))
  }

  /** Lets a worker run until these tasks have ended. */
  work(
    ids: readonly string[],
    handlers: Readonly<Record<string, Handler<never>>>,
  ): Promise<Task[]> {
    return this.withQueue(async (queue, store) => {
      await using worker = new Worker(store, { handlers, idleMsMax: 50, id: 'worker-1' })
      await worker.start()
      const signal = AbortSignal.timeout(30_000)
      const ended = await Promise.all(ids.map((id) => queue.wait(id, { signal })))
      await worker.stop()
      await queue.close()
      return ended
    })
  }

  /** A task that has ended in this status. */
  async ended(status: 'completed' | 'failed', type = 'work'): Promise<Task> {
    const { id } = await this.submit('--type', type, '--retries', '0')
    const run = () => {
      if (status === 'failed') throw new Error('out of order')
      return 'done'
    }
    const [task] = await this.work([id], { [type]: run })
    assert.equal(task?.status, status)
    return task as Task
  }

  /** Overwrites what is stored of a task, as a crash of a disk or another program might. */
  overwrite(id: string, text: string): Promise<void> {
    return this.withStore(async (store) => {
      const entry = await store.get(`qo/tasks/${id.charAt(0)}/${id}.json`)
      assert.ok(entry, id)
      await store.commit([update(entry, Buffer.from(text))])
    })
  }

  /** Lays a file into the directory. */
  place(name: string, text: string): string {
    const path = join(this.directory, name)
    writeFileSync(path, text)
    return path
  }
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-qo-')))
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
  new Desk(`memory:qo-${process.pid}-${++count}`, newDirectory())

/** An id that is nobody's. */
export const nobody = '0190a8c3-1f20-8b1e-9d3c-5a6f00112233'

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
