import { setTimeout as sleep } from 'node:timers/promises'
import { LiveFeed } from '../../../src/http/tree/live-feed.ts'
import { StoreError } from '../../../src/store/index.ts'
import type { Resync, TaskEvent, TaskTree } from '../../../src/tree/index.ts'
import type { FieldChange, Forest, Swap, TreeRecord } from './tree-record.ts'

/** How long a change may stay unseen by the feed, whose process may be paused several times. */
const unseenMsMax = 300_000
/** How long a follower may take to hear of the last change, once nothing goes wrong any more. */
const settleMs = 60_000

/** Follows the feed as a program does that comes back when it is let go, and reads everything again when it must. */
export class Follower {
  readonly #record: TreeRecord
  readonly #feed: LiveFeed
  readonly #ending = new AbortController()
  /** What was told since everything was read, by tasks. */
  readonly #told = new Map<string, string[]>()
  /** When everything was read last. */
  #since = Number.POSITIVE_INFINITY
  #sinceMs = Number.POSITIVE_INFINITY
  /** When the feed began to read what there is: before the first start, and whenever it has failed. */
  #startedAt = 0
  #following: Promise<void> | undefined

  constructor(tree: TaskTree, record: TreeRecord) {
    this.#record = record
    this.#feed = new LiveFeed(tree, () => {
      this.#startedAt = record.moment
    })
  }

  /** False where the store failed: then nobody follows. */
  async start(note: (event: TaskEvent | Resync) => void): Promise<boolean> {
    this.#startedAt = this.#record.moment
    try {
      await this.#feed.start()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      await this.close()
      return false
    }
    this.#readAll()
    this.#following = this.#follow(note)
    return true
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#feed[Symbol.asyncDispose]()
    await this.#following
  }

  /** Waits until everything must have been told, and says what was not. */
  async missed(): Promise<string[]> {
    const { moment } = this.#record
    await sleep(settleMs)
    if (this.#record.moment !== moment) return []
    return [...this.#record.ids].flatMap((id) => this.#flawOf(id) ?? [])
  }

  #readAll(): void {
    this.#since = this.#record.moment
    this.#sinceMs = this.#record.nowMs
    this.#told.clear()
  }

  async #follow(note: (event: TaskEvent | Resync) => void): Promise<void> {
    let lastSeen = this.#feed.lastId
    while (!this.#ending.signal.aborted) {
      for await (const event of this.#feed.events(lastSeen, this.#ending.signal)) {
        note(event)
        lastSeen = event.id
        if (event.type === 'resync') this.#readAll()
        else {
          const told = this.#told.get(event.task.id) ?? []
          this.#told.set(event.task.id, [...told, event.type])
        }
      }
      // Let go: it comes back after a while.
      if (!this.#ending.signal.aborted)
        await sleep(500, undefined, { signal: this.#ending.signal }).catch(() => {})
    }
  }

  /** What was told must be the end of what has happened, and begin no later than everything was read. */
  #flawOf(id: string): string | null {
    const swaps = this.#record.since(0, id)
    const told = this.#told.get(id) ?? []
    const before = this.#record.forest(this.#since)
    const now = this.#record.forest()
    if (!now.isThere(id)) return this.#flawOfGone(id, told, before)
    const happened = swaps.flatMap((swap) => typeOf(swap) ?? [])
    const due = swaps.filter(({ moment }) => moment > this.#since).flatMap((s) => typeOf(s) ?? [])
    const isEnd = told.join() === happened.slice(happened.length - told.length).join()
    if (isEnd && told.length >= due.length && told.length <= happened.length) return null
    return `of ${id} a follower was told ${told.join(', ') || 'nothing'} instead of ${due.join(', ')}`
  }

  /**
   * What is gone was told to be, unless the feed had not heard of it: what came after it began to read and soon went it may
   * have missed, though whoever read everything just then may have seen it.
   */
  #flawOfGone(id: string, told: readonly string[], before: Forest): string | null {
    const swaps = this.#record.since(0, id)
    const isNew = (swaps[0]?.moment ?? 0) > this.#startedAt
    const wasBrief = (swaps.at(-1)?.atMs ?? 0) < this.#sinceMs + unseenMsMax
    const isKnown = (before.isThere(id) && !(isNew && wasBrief)) || told.length > 0
    if (!isKnown || told.at(-1) === 'task.deleted') return null
    return `a follower was not told that ${id} is gone, but ${told.join(', ')}`
  }
}

/** What a change is to those who follow; null where it changes no field. */
function typeOf({ before, after }: Swap): string | null {
  if (before === null) return 'task.created'
  if (after === null) return null
  const { fields } = after.change
  if (fields.length === 0) return null
  const value = (name: string): FieldChange | undefined =>
    fields.find(({ field }) => field === name)
  const status = value('status')
  if (status?.new_value === 'in_progress') return 'task.claimed'
  if (status?.old_value === 'in_progress' && status.new_value === 'open') return 'task.released'
  return value('deleted_at')?.new_value ? 'task.deleted' : 'task.updated'
}
