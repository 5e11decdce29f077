import { setMaxListeners } from 'node:events'
import { ulid } from 'ulid'
import type { Change, Task } from './task.ts'

/** Everything that can happen to a task. */
export type TaskEventType =
  | 'task.created'
  | 'task.updated'
  | 'task.claimed'
  | 'task.released'
  | 'task.deleted'

/** What happened to a task, and how it was then. */
export interface TaskEvent {
  /** From here on events can be asked for again. */
  readonly id: string
  /** What happened. */
  readonly type: TaskEventType
  /** The task after it. */
  readonly task: Task
}

/** Something may have been missed: read everything again. */
export interface Resync {
  /** From here on events can be asked for again. */
  readonly id: string
  /** Sets it apart from events. */
  readonly type: 'resync'
}

export const eventsMax = 10_000
export const eventAgeMsMax = 24 * 3_600_000
/** All events together; what is over that goes first, as what is too old does. */
const eventBytesMax = 64_000_000

/** What a change is to those who follow; null where it changed no field. */
export function eventTypeOf({ fields }: Change): TaskEventType | null {
  if (fields.length === 0) return null
  const status = fields.find(({ field }) => field === 'status')
  if (status?.new_value === 'in_progress') return 'task.claimed'
  if (status?.old_value === 'in_progress' && status.new_value === 'open') return 'task.released'
  const isHidden = fields.some(({ field, new_value }) => field === 'deleted_at' && new_value !== '')
  return isHidden ? 'task.deleted' : 'task.updated'
}

interface Kept {
  readonly event: TaskEvent
  readonly at: number
  readonly bytes: number
}

/** The last events, numbered, for all who follow and for those who come back. */
export class Journal {
  /** Numbers mean something under one name only. */
  #name = ulid()
  readonly #now: () => number
  readonly #kept: Kept[] = []
  #last = 0
  #bytes = 0
  #wakers = new Set<() => void>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Sends `resync` to the current followers, who may have missed changes. */
  renew(): void {
    this.#name = ulid()
    for (const wake of this.#wakers) wake()
  }

  get lastId(): string {
    return `${this.#name}-${this.#last}`
  }

  add(type: TaskEventType, task: Task): void {
    const event = { id: `${this.#name}-${++this.#last}`, type, task }
    const bytes = JSON.stringify(task).length
    this.#kept.push({ event, at: this.#now(), bytes })
    this.#bytes += bytes
    this.#forget()
    for (const wake of this.#wakers) wake()
  }

  /** What came after an event; null where nobody knows any more. */
  after(id: string): readonly TaskEvent[] | null {
    this.#forget()
    const [name, digits = ''] = id.split('-')
    const n = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
    const first = this.#last - this.#kept.length
    if (name !== this.#name || !(n >= first && n <= this.#last)) return null
    return this.#kept.slice(n - first).map(({ event }) => event)
  }

  /** Events from now on, or from after one that was seen, until the signal is aborted. */
  follow(lastSeen: string | null, signal: AbortSignal): AsyncGenerator<TaskEvent | Resync> {
    // Now is when this is called, not when somebody first reads.
    return this.#from(lastSeen ?? this.lastId, signal)
  }

  async *#from(start: string, signal: AbortSignal): AsyncGenerator<TaskEvent | Resync> {
    setMaxListeners(0, signal)
    let id = start
    while (!signal.aborted) {
      const events = this.after(id)
      if (events === null) {
        id = this.lastId
        yield { id, type: 'resync' }
      } else if (events.length === 0) await this.#news(signal)
      for (const event of events ?? []) {
        if (signal.aborted) return
        id = event.id
        yield event
      }
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakers.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#wakers.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #forget(): void {
    const oldest = this.#now() - eventAgeMsMax
    let count = Math.max(0, this.#kept.length - eventsMax)
    let bytes = this.#bytes - sumOf(this.#kept.slice(0, count))
    for (let kept = this.#kept[count]; kept; kept = this.#kept[count]) {
      if (kept.at >= oldest && bytes <= eventBytesMax) break
      bytes -= kept.bytes
      count++
    }
    this.#kept.splice(0, count)
    this.#bytes = bytes
  }
}

const sumOf = (kept: readonly Kept[]): number => kept.reduce((sum, { bytes }) => sum + bytes, 0)
