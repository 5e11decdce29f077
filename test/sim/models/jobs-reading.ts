import type { Task } from '../../../src/jobs/index.ts'
import type { Applied } from '../disk.ts'
import { type Document, Documents } from '../documents.ts'
import type { Scene } from '../model.ts'

const keyOf = (id: string): string => `tasks/task/${id}`
/** A waiter hears of what a watch has lost once that says so, and may have to read again. */
const patienceMs = 60_000

/** Compares what clients read with the documents that were there while they read. */
export class JobsReading {
  readonly #scene: Scene
  readonly #tasks: Documents
  readonly #keys = new Map<string, { readonly id: string | null; readonly sinceMs: number }>()
  readonly #writtenMs = new Map<string, number>()

  constructor(scene: Scene) {
    this.#scene = scene
    this.#tasks = new Documents(scene.world, 'tasks/task/')
  }

  applied(writes: readonly Applied[]): void {
    this.#tasks.applied(writes)
    const sinceMs = this.#scene.world.nowMs
    for (const { key, value } of writes) {
      if (key.startsWith('tasks/task/'))
        this.#writtenMs.set(key.slice('tasks/task/'.length), sinceMs)
      if (!key.startsWith('tasks/idem/')) continue
      const id = value === null ? null : new TextDecoder().decode(value)
      const name = key.slice('tasks/idem/'.length)
      if (this.#keys.get(name)?.id !== id) this.#keys.set(name, { id, sinceMs })
    }
  }

  /** What was read is a state that the task had while it was read. */
  seen(task: Task, sinceMs: number): void {
    const states = this.#tasks.since(keyOf(task.id), sinceMs)
    if (!states.some((state) => isState(state, task)))
      this.#violated(`${task.id} was read as ${task.status}, which it was not meanwhile`)
  }

  missed(id: string, sinceMs: number): void {
    if (this.#tasks.since(keyOf(id), sinceMs).every(isThere))
      this.#violated(`${id} was said not to be there, but it was all the while`)
  }

  missedKey(name: string, sinceMs: number): void {
    const entry = this.#keys.get(name)
    if (!entry || entry.id === null || entry.sinceMs >= sinceMs) return
    if (this.#tasks.since(keyOf(entry.id), sinceMs).every(isThere))
      this.#violated(`no task was found for ${name}, but ${entry.id} had it all the while`)
  }

  refusedClaim(id: string, sinceMs: number): void {
    const isFree = (state: Document | null) => isThere(state) && state?.['status'] === 'pending'
    if (this.#tasks.since(keyOf(id), sinceMs).every(isFree))
      this.#violated(`the claim of ${id} was refused, but it was free all the while`)
  }

  /** Whatever had the status all the while is on the list, whoever created it; and nothing else is. */
  listed(status: string, tasks: readonly Task[], { sinceMs, isSure }: Listing): void {
    for (const task of tasks) {
      if (task.status !== status) this.#violated(`list(${status}) gave ${task.id} ${task.status}`)
      this.seen(task, sinceMs)
    }
    const given = new Set(tasks.map(({ id }) => id))
    if (given.size < tasks.length) this.#violated(`list(${status}) gave a task twice`)
    for (const [key] of this.#tasks.now()) {
      const id = key.slice('tasks/task/'.length)
      const had = this.#tasks.since(key, sinceMs).every((state) => state?.['status'] === status)
      if (had && isSure(id) && !given.has(id))
        this.#violated(`list(${status}) lacks ${id}, which was ${status} all the while`)
    }
  }

  /** Somebody who waits is told of the end, and not of anything else. */
  waited(task: Task, sinceMs: number): void {
    if (task.status !== 'completed' && task.status !== 'failed')
      this.#violated(`a waiter for ${task.id} was told that it is ${task.status}`)
    this.seen(task, sinceMs)
  }

  isEnded(id: string): boolean {
    const [state] = this.#tasks.since(keyOf(id), this.#scene.world.nowMs)
    return state?.['status'] === 'completed' || state?.['status'] === 'failed'
  }

  /** All that was written since somebody followed must have been told by now, by its name or by a resync. */
  followed(events: ReadonlyMap<string | null, number>, sinceMs: number): void {
    const resyncMs = events.get(null) ?? Number.NEGATIVE_INFINITY
    for (const [id, writtenMs] of this.#writtenMs) {
      const toldMs = Math.max(resyncMs, events.get(id) ?? Number.NEGATIVE_INFINITY)
      const isOld = writtenMs + patienceMs <= this.#scene.world.nowMs
      if (writtenMs > sinceMs && toldMs < writtenMs && isOld)
        this.#violated(`changes() never told of the last change of ${id}`)
    }
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}

interface Listing {
  readonly sinceMs: number
  /** Whether it can't lack its index entry: a creation that nobody was told of may. */
  readonly isSure: (id: string) => boolean
}

/** What is half deleted is gone for some calls, and not yet for others. */
const isThere = (state: Document | null): boolean => state !== null && state['isDeleting'] !== true

const isState = (state: Document | null, { status, attempts, claimedBy, error }: Task): boolean =>
  state !== null &&
  state['status'] === status &&
  state['attempts'] === attempts &&
  state['claimedBy'] === claimedBy &&
  state['error'] === error
