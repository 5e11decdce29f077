import { shards } from '../../../src/queue/fields.ts'
import { taskPath } from '../../../src/queue/keys.ts'
import type { Task } from '../../../src/queue/task.ts'
import { Failure } from '../source/failure.ts'
import type { Client } from './client.ts'
import { nameOf, parsed } from './documents.ts'
import { eachOf, listed } from './listing.ts'
import { Tally } from './tally.ts'

interface Kept {
  readonly etag: string
  readonly task: Task | 'corrupt'
}

/** What lists tell: the tasks with their ETags, and the shards that hold more than was listed. */
interface Heads {
  readonly etags: ReadonlyMap<string, string>
  readonly cutShards: readonly string[]
}

/** Views that look at the same moment share one look. */
const freshMs = 2_000
const keptMax = 20_000

/** What tasks there are and in which states, by lists; and the tasks, each read once for each of its states. */
export class TaskIndex {
  readonly #client: Client
  readonly #kept = new Map<string, Kept>()
  readonly tally = new Tally()
  #heads: Promise<Heads> | null = null
  #readMs = 0
  /** How many objects were read. */
  reads = 0

  constructor(client: Client) {
    this.#client = client
  }

  /** How old the list of tasks is. */
  get ageMs(): number {
    return Date.now() - this.#readMs
  }

  forget(): void {
    this.#heads = null
  }

  /** Views share it, so that it is not given up by one of them. */
  heads(): Promise<Heads> {
    if (this.#heads && Date.now() - this.#readMs < freshMs) return this.#heads
    this.#readMs = Date.now()
    const heads = this.#look()
    heads.catch(() => this.forget())
    this.#heads = heads
    return heads
  }

  async #look(): Promise<Heads> {
    const lists = await Promise.all(shards.map((shard) => listed(this.#client, `tasks/${shard}/`)))
    const etags = new Map<string, string>()
    for (const { name, etag } of lists.flatMap((list) => list.heads)) {
      const id = taskPath.idOf(name.slice('tasks/'.length))
      if (id !== null) etags.set(id, etag)
    }
    return { etags, cutShards: shards.filter((_, at) => lists[at]?.isCut) }
  }

  async read(ids: readonly string[], signal?: AbortSignal) {
    const { etags } = await this.heads()
    return eachOf(ids, async (id) => ({ id, task: await this.#task(id, etags.get(id), signal) }))
  }

  async #task(id: string, etag: string | undefined, signal?: AbortSignal) {
    const kept = this.#kept.get(id)
    if (kept && kept.etag === etag) return kept.task
    this.reads++
    const found = await this.#client.get(nameOf(id), { signal })
    if (found === null) return null
    const task = taskOrCorrupt(found.text, id)
    this.tally.note(id, found.etag, task === 'corrupt' ? null : task)
    if (this.#kept.size >= keptMax) this.#kept.clear()
    this.#kept.set(id, { etag: found.etag, task })
    return task
  }
}

function taskOrCorrupt(text: string, id: string): Task | 'corrupt' {
  try {
    return parsed(text, id).task
  } catch (error) {
    if (error instanceof Failure) return 'corrupt'
    throw error
  }
}
