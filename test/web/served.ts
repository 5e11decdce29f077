import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveHoldfast } from '../../src/http/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { Queue } from '../../src/queue/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { finish } from './outcomes.ts'

/** The page as it is published. */
export const webFolder = join(import.meta.dirname, '../../dist/web')

const matchers = `matchers:
  - name: security-review
    grimoire: security-audit
    match: { any_tags: ["security", "auth*"] }
  - name: bugs
    grimoire: fix-bug
    match: { type: [bug] }
`

/** A store in a file, served with the page, and all that can be done to it from outside. */
export class Served implements AsyncDisposable {
  readonly store: Store
  readonly queue: Queue
  readonly tree: TaskTree
  readonly plans: Plans
  readonly list: TaskList
  readonly jobs: TaskManager
  readonly #folder: string
  readonly #token: string | null
  #serving: Awaited<ReturnType<typeof serveHoldfast>> | null = null
  #port = 0

  private constructor(folder: string, store: Store, token: string | null) {
    this.#folder = folder
    this.#token = token
    this.store = store
    this.queue = new Queue(store)
    this.tree = new TaskTree(store)
    this.plans = new Plans(store)
    this.list = new TaskList(store)
    this.jobs = new TaskManager(store)
  }

  static async start({ token = null }: { token?: string | null } = {}): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-web-'))
    writeFileSync(join(folder, 'grimoire-matchers.yaml'), matchers)
    const served = new Served(folder, await openStore(`sqlite:${join(folder, 'tasks.db')}`), token)
    await served.up()
    return served
  }

  /** A folder for somebody to work in. */
  folder(name: string): string {
    const path = join(this.#folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`
  }

  /** The server is there, again at the same place. */
  async up(): Promise<void> {
    this.#serving = await serveHoldfast({
      store: this.store,
      storeKind: 'sqlite',
      folder: this.#folder,
      port: this.#port,
      token: this.#token,
      version: '0.1.0',
      webFolder,
    })
    this.#port = Number(new URL(this.#serving.url).port)
  }

  async down(): Promise<void> {
    await this.#serving?.[Symbol.asyncDispose]()
    this.#serving = null
  }

  /** A task of the queue that has failed for good. */
  async failedTask(type = 'send_email'): Promise<string> {
    const input = { to: 'ada@example.com', template: 'welcome' }
    const { id } = await this.queue.submit({ type, input, maxRetries: 0 })
    await finish(this.store, id, 'fail')
    return id
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
    await this.queue.close()
    await this.jobs.close()
    await this.store[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
