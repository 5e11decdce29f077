import type { TaskVersion } from '../../../src/queue/history.ts'
import { rankOf } from '../../../src/queue/index-names.ts'
import { idOfPlace } from '../../../src/queue/keys.ts'
import { matches } from '../../../src/queue/listing.ts'
import { stateOf } from '../../../src/queue/state.ts'
import type { Json, Task } from '../../../src/queue/task.ts'
import { Failure } from '../source/failure.ts'
import type {
  Counts,
  Draft,
  QueueSource,
  SeenTask,
  TaskFilter,
  TaskPage,
} from '../source/source.ts'
import { act } from './act.ts'
import type { Client } from './client.ts'
import { nameOf, parsed } from './documents.ts'
import { historyOf } from './history.ts'
import { listed } from './listing.ts'
import { submit } from './submit.ts'
import { TaskIndex } from './task-index.ts'
import { workersIn } from './workers.ts'

/** So many tasks one page reads at most; who wants more asks for the next. */
const readsMax = 300
const readAtOnce = 64
/** So many tasks one count reads at most, where all are to be counted; the next goes on from there. */
const countedAtOnce = 1_000

const unknown = {
  pending: null,
  running: null,
  completed: null,
  failed: null,
  archived: null,
  cancelled: null,
}

/** The queue in a bucket, by reading and writing the objects themselves. */
export class BucketQueue implements QueueSource {
  readonly #client: Client
  readonly #isVersioned: boolean
  readonly #tasks: TaskIndex
  #isCountingAll = false

  constructor(client: Client, isVersioned: boolean) {
    this.#client = client
    this.#isVersioned = isVersioned
    this.#tasks = new TaskIndex(client)
  }

  async list(
    filter: TaskFilter,
    cursor: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<TaskPage> {
    const { ids, cutShards } = await this.#candidates(filter, cursor, signal)
    const tasks: Task[] = []
    const corrupt: string[] = []
    let reads = 0
    let last: string | null = null
    const step = Math.min(readAtOnce, limit)
    for (let at = 0; at < ids.length && tasks.length < limit && reads < readsMax; at += step) {
      const chunk = ids.slice(at, at + step)
      const before = this.#tasks.reads
      const found = await this.#tasks.read(chunk, signal)
      reads += this.#tasks.reads - before
      for (const { id, task } of found) {
        if (tasks.length >= limit) break
        last = rankOf(id)
        if (task === 'corrupt') corrupt.push(id)
        else if (task !== null && matches(task, filter)) tasks.push(task)
      }
    }
    const end = ids.at(-1)
    const isAll = end === undefined || last === rankOf(end)
    const isShort = !isAll && tasks.length < limit
    return { tasks, cursor: isAll ? null : last, isShort, corrupt, cutShards }
  }

  async get(id: string, signal?: AbortSignal): Promise<SeenTask> {
    const found = await this.#client.get(nameOf(id), { signal })
    if (found === null)
      throw new Failure('missing', `There is no task ${id}.`, 'Go back to the list of tasks.')
    const { task } = parsed(found.text, id)
    const [input, output] = [
      await this.#content(task.input_ref, task.input, signal),
      await this.#content(task.output_ref, task.output, signal),
    ]
    return { task: { ...task, input, output }, revision: stateOf(task) }
  }

  async history(id: string, signal?: AbortSignal): Promise<readonly TaskVersion[]> {
    return historyOf(this.#client, id, { isVersioned: this.#isVersioned, signal })
  }

  async counts(signal?: AbortSignal): Promise<Counts> {
    const [{ etags, cutShards }, ready, leases] = await Promise.all([
      this.#tasks.heads(),
      this.#indexed('ready', signal),
      this.#indexed('leases', signal),
    ])
    const { unread } = this.#tasks.tally.count(etags)
    const isAll = unread.length <= readsMax || this.#isCountingAll
    if (isAll) await this.#tasks.read(unread.slice(0, countedAtOnce), signal)
    const tallied = this.#tasks.tally.count(etags)
    const isKnown = tallied.unread.length === 0
    const byIndex = { pending: ready.ids.size, running: leases.ids.size }
    return {
      total: etags.size,
      ageMs: this.#tasks.ageMs,
      isCut: cutShards.length > 0 || ready.isCut || leases.isCut,
      unread: tallied.unread.length,
      by_status: isKnown ? tallied.by_status : { ...unknown, ...byIndex },
      by_type: isKnown ? tallied.by_type : null,
      unhandled_types: [],
    }
  }

  countAll(): void {
    this.#isCountingAll = true
  }

  async submit(draft: Draft): Promise<Task> {
    const task = await submit(this.#client, draft)
    this.#tasks.forget()
    return task
  }

  workers = (signal?: AbortSignal) => workersIn(this.#client, signal)

  async act({ task, revision }: SeenTask, action: Parameters<QueueSource['act']>[1]) {
    const done = await act(this.#client, task.id, action, revision)
    this.#tasks.forget()
    return done
  }

  async #candidates({ status, shard }: TaskFilter, cursor: string | null, signal?: AbortSignal) {
    const { etags, cutShards } = await this.#tasks.heads()
    const index = status === 'pending' ? 'ready' : status === 'running' ? 'leases' : null
    const named = index === null ? etags.keys() : (await this.#indexed(index, signal)).ids
    const ids = [...named]
      .filter((id) => etags.has(id) && (shard === undefined || id.startsWith(shard)))
      .filter((id) => cursor === null || rankOf(id) < cursor)
      .sort((a, b) => (rankOf(a) < rankOf(b) ? 1 : -1))
    return { ids, cutShards: cutShards.filter((each) => shard === undefined || each === shard) }
  }

  async #indexed(folder: 'ready' | 'leases', signal?: AbortSignal) {
    const { heads, isCut } = await listed(this.#client, `${folder}/`, signal)
    const ids = new Set(heads.flatMap(({ name }) => idOfPlace(name.slice(folder.length + 1)) ?? []))
    return { ids, isCut }
  }

  async #content(ref: string | null, value: Json, signal?: AbortSignal): Promise<Json> {
    if (ref === null) return value
    const found = ref.startsWith('data/') ? await this.#client.get(ref, { signal }) : null
    try {
      return JSON.parse(found?.text ?? '') as Json
    } catch {
      throw new Failure('corrupt', `${ref} is missing or is not JSON.`, 'Check it with an S3 tool.')
    }
  }
}
