import { TaskNotFoundError } from '../../../src/queue/error.ts'
import { shards } from '../../../src/queue/fields.ts'
import type { TaskVersion } from '../../../src/queue/history.ts'
import { idPattern } from '../../../src/queue/id.ts'
import { rankOf } from '../../../src/queue/index-names.ts'
import {
  idOfPlace,
  leasesPrefix,
  readyPrefix,
  taskKeyOf,
  tasksPrefix,
} from '../../../src/queue/keys.ts'
import { Queue } from '../../../src/queue/queue.ts'
import { stateOf } from '../../../src/queue/state.ts'
import type { Task } from '../../../src/queue/task.ts'
import type { Store } from '../../../src/store/store.ts'
import { storeNow } from '../clock.ts'
import { Failure } from '../source/failure.ts'
import type {
  Counts,
  Draft,
  QueueAction,
  QueueSource,
  SeenTask,
  TaskFilter,
  TaskPage,
} from '../source/source.ts'
import { eachOf, Looks } from './looks.ts'
import { inWords } from './refusal.ts'
import { SharedView, View, WriteOnce } from './view.ts'

/** So many tasks one page reads at most; who wants more asks for the next. */
const readsMax = 300
/** So many tasks one count reads at most, where all are to be counted; the next goes on from there. */
const countedAtOnce = 1_000
/** What is larger lies beside the task, which is for the program to write. */
const inputBytesMax = 65_536

const unknown = {
  pending: null,
  running: null,
  completed: null,
  failed: null,
  archived: null,
  cancelled: null,
}

/** Counted from what the store's clock says, as countdowns are. */
const now = (): number => Math.round(storeNow())

/** The queue in a bucket, as the page shows it: the queue itself, on a store of which little is asked. */
export class BucketQueue implements QueueSource {
  readonly #store: Store
  readonly #looks: Looks
  #isCountingAll = false

  constructor(store: Store) {
    this.#store = store
    this.#looks = new Looks(store)
  }

  /** Whether the tasks may be seen at all. What it finds serves the first view, too. */
  async look(): Promise<void> {
    await this.#looks.list(`${tasksPrefix}/${shards[0]}`)
  }

  list(
    filter: TaskFilter,
    cursor: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<TaskPage> {
    return inWords(async () => {
      const view = this.#view(signal)
      const queue = new Queue(view, { now })
      const tasks: Task[] = []
      let next = cursor
      // At first no more than are wanted, and one that tells whether there are others.
      let readMax = Math.min(limit + 1, readsMax)
      do {
        const bounds = { cursor: next, limit: limit - tasks.length, readMax, isIndexTrusted: true }
        const page = await queue.list({ ...filter, ...bounds })
        tasks.push(...page.tasks)
        next = page.cursor
        readMax = readsMax - view.reads
      } while (next !== null && tasks.length < limit && readMax > 0)
      const { cutShards } = await this.#looks.tasks()
      return {
        tasks,
        cursor: next,
        isShort: next !== null && tasks.length < limit,
        corrupt: view.corrupt.filter((id) => next === null || rankOf(id) >= next),
        cutShards: cutShards.filter((each) => (filter.shard ?? each) === each),
      }
    })
  }

  get(id: string, signal?: AbortSignal): Promise<SeenTask> {
    return inWords(async () => {
      // What can't be an id, as an address may have it, is no task either.
      if (!idPattern.test(id)) throw new TaskNotFoundError(id)
      const task = await this.#queue(signal).get(id, { full: true })
      return { task, revision: stateOf(task) }
    })
  }

  history(id: string, signal?: AbortSignal): Promise<readonly TaskVersion[]> {
    return inWords(() => this.#queue(signal).history(id))
  }

  workers = (signal?: AbortSignal) =>
    inWords(() => new Queue(this.#view(signal), { now }).workers())

  counts(signal?: AbortSignal): Promise<Counts> {
    return inWords(async () => {
      const [{ revisions, cutShards }, ready, leases] = await Promise.all([
        this.#looks.tasks(),
        this.#indexed(readyPrefix),
        this.#indexed(leasesPrefix),
      ])
      const { tally } = this.#looks
      const { unread } = tally.count(revisions)
      if (unread.length <= readsMax || this.#isCountingAll)
        await this.#readAll(unread.slice(0, countedAtOnce), signal)
      const tallied = tally.count(revisions)
      const isKnown = tallied.unread.length === 0
      const byIndex = { pending: ready.ids.size, running: leases.ids.size }
      return {
        total: revisions.size,
        ageMs: this.#looks.ageMs,
        isCut: cutShards.length > 0 || ready.isCut || leases.isCut,
        unread: tallied.unread.length,
        by_status: isKnown ? tallied.by_status : { ...unknown, ...byIndex },
        by_type: isKnown ? tallied.by_type : null,
        unhandled_types: [],
      }
    })
  }

  countAll(): void {
    this.#isCountingAll = true
  }

  async submit({
    type,
    input,
    delaySeconds,
    maxRetries,
    timeoutSeconds,
  }: Draft): Promise<{ id: string }> {
    const bytes = new TextEncoder().encode(JSON.stringify(input)).byteLength
    if (bytes > inputBytesMax) throw tooLarge(bytes)
    return this.#change((queue) =>
      queue.submit({
        type,
        input,
        ...(delaySeconds === null ? {} : { delayMs: delaySeconds * 1000 }),
        ...(maxRetries === null ? {} : { maxRetries }),
        ...(timeoutSeconds === null ? {} : { timeoutMs: timeoutSeconds * 1000 }),
      }),
    )
  }

  act({ task: { id }, revision }: SeenTask, action: QueueAction): Promise<Task> {
    return this.#change(async (queue) => {
      const on = revision === null ? {} : { state: revision }
      const { task } = await queue[action](id, on).catch((error: unknown) => {
        throw error instanceof TaskNotFoundError ? deleted(id) : error
      })
      return task
    })
  }

  async #change<T>(run: (queue: Queue) => Promise<T>): Promise<T> {
    const result = await inWords(() => run(new Queue(new WriteOnce(this.#store), { now })))
    this.#looks.forget()
    return result
  }

  /** For what is read anew each time. */
  #queue(signal: AbortSignal | undefined): Queue {
    return new Queue(new View(this.#store, signal), { now })
  }

  #view(signal: AbortSignal | undefined): SharedView {
    return new SharedView(this.#store, this.#looks, signal)
  }

  async #readAll(ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const view = this.#view(signal)
    await eachOf(ids, (id) => view.get(taskKeyOf(id)))
  }

  async #indexed(prefix: string): Promise<{ ids: ReadonlySet<string>; isCut: boolean }> {
    const { revisions, isCut } = await this.#looks.list(prefix)
    const places = Array.from(revisions.keys(), (key) => key.slice(prefix.length + 1))
    return { ids: new Set(places.flatMap((place) => idOfPlace(place) ?? [])), isCut }
  }
}

const deleted = (id: string): Failure =>
  new Failure('missing', `Task ${id} was deleted.`, 'Go back to the list.')

const tooLarge = (bytes: number): Failure =>
  new Failure(
    'invalid',
    `The input has ${bytes.toLocaleString('en')} bytes; this page submits at most ${inputBytesMax.toLocaleString('en')}.`,
    'Use qo submit.',
  )
