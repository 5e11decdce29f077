import { type TaskVersion, versionsAmong } from '../../../src/queue/history.ts'
import { idOfPlace } from '../../../src/queue/keys.ts'
import { matches, rankOf } from '../../../src/queue/listing.ts'
import type { Json, Task } from '../../../src/queue/task.ts'
import { Failure } from '../source/failure.ts'
import type { Counts, QueueSource, SeenTask, TaskFilter, TaskPage } from '../source/source.ts'
import { act, nameOf } from './act.ts'
import type { Client } from './client.ts'
import { parsed } from './documents.ts'
import { eachOf, listed, versionIds } from './listing.ts'
import { TaskIndex } from './task-index.ts'
import { workersIn } from './workers.ts'

/** So many tasks one page reads at most; who wants more asks for the next. */
const readsMax = 300
const readAtOnce = 64
const versionsMax = 100

/** The queue in a bucket, by reading and writing the objects themselves. */
export class BucketQueue implements QueueSource {
  readonly #client: Client
  readonly #isVersioned: boolean
  readonly #tasks: TaskIndex

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
    const ids = await this.#candidates(filter, cursor, signal)
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
    return { tasks, cursor: isAll ? null : last, isShort: !isAll && tasks.length < limit, corrupt }
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
    return { task: { ...task, input, output }, revision: found.etag }
  }

  async history(id: string, signal?: AbortSignal): Promise<readonly TaskVersion[]> {
    if (!this.#isVersioned) {
      const { task } = await this.get(id, signal)
      return versionsAmong([task])
    }
    const ids = await versionIds(this.#client, nameOf(id), versionsMax, signal)
    const texts = await eachOf(ids, (versionId) =>
      this.#client.get(nameOf(id), { query: { versionId }, signal }),
    )
    const states = texts.flatMap((found) => readable(found?.text ?? '', id))
    return versionsAmong(states.reverse())
  }

  async counts(signal?: AbortSignal): Promise<Counts> {
    const [heads, ready, leases] = await Promise.all([
      this.#tasks.heads(signal),
      this.#indexed('ready', signal),
      this.#indexed('leases', signal),
    ])
    const by_status = {
      pending: ready.size,
      running: leases.size,
      completed: null,
      failed: null,
      archived: null,
      cancelled: null,
    }
    return { total: heads.size, by_status, by_type: null, unhandled_types: [] }
  }

  workers = (signal?: AbortSignal) => workersIn(this.#client, signal)

  async act({ task, revision }: SeenTask, action: Parameters<QueueSource['act']>[1]) {
    const done = await act(this.#client, task.id, action, revision)
    this.#tasks.forget()
    return done
  }

  async #candidates({ status, shard }: TaskFilter, cursor: string | null, signal?: AbortSignal) {
    const heads = await this.#tasks.heads(signal)
    const index = status === 'pending' ? 'ready' : status === 'running' ? 'leases' : null
    const ids = index === null ? heads.keys() : (await this.#indexed(index, signal)).values()
    return [...ids]
      .filter((id) => heads.has(id) && (shard === undefined || id.startsWith(shard)))
      .filter((id) => cursor === null || rankOf(id) < cursor)
      .sort((a, b) => (rankOf(a) < rankOf(b) ? 1 : -1))
  }

  async #indexed(folder: 'ready' | 'leases', signal?: AbortSignal): Promise<Set<string>> {
    const { heads } = await listed(this.#client, `${folder}/`, signal)
    return new Set(heads.flatMap(({ name }) => idOfPlace(name.slice(folder.length + 1)) ?? []))
  }

  async #content(ref: string | null, value: Json, signal?: AbortSignal): Promise<Json> {
    if (ref === null) return value
    const found = ref.startsWith('data/') ? await this.#client.get(ref, { signal }) : null
    try {
      return JSON.parse(found?.text ?? '') as Json
    } catch {
      throw new Failure('corrupt', `${ref} is missing or no JSON.`, 'Look at it with an S3 tool.')
    }
  }
}

function readable(text: string, id: string): Task[] {
  try {
    return [parsed(text, id).task]
  } catch {
    return []
  }
}
