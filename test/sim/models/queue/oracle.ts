import type { Task } from '../../../../src/queue/index.ts'
import type { Applied } from '../../disk.ts'
import type { Scene } from '../../model.ts'
import { Attempts } from './attempts.ts'
import { Calls, isOrder } from './calls.ts'
import { Entries } from './entries.ts'
import { flawsOf, moveOf } from './moves.ts'
import { decoded, likenessOf, type Status, type Stored, taskIdOf, taskPrefix } from './stored.ts'

/** A state that a task has had, from a time on. */
interface State {
  readonly at: number
  readonly task: Stored
  readonly likeness: string
}

/**
 * What must hold of tasks, by their specification alone: it follows the documents as they are written, and compares with
 * them what callers, handlers and workers are told.
 */
export class QueueOracle {
  readonly attempts: Attempts
  readonly calls = new Calls()
  readonly entries: Entries
  readonly tasks = new Map<string, Stored>()
  readonly #scene: Scene
  readonly #states = new Map<string, State[]>()
  readonly #byMark = new Map<string, string>()
  readonly #byKey = new Map<string, string>()
  /** Marks of submissions that were told that nothing has happened. */
  readonly #refused = new Set<string>()

  constructor(scene: Scene) {
    this.#scene = scene
    this.attempts = new Attempts(scene)
    // A task whose id tells another type than it has an entry more.
    const isAtomic = scene.kind.limits.commitWritesMax >= 3
    this.entries = new Entries(isAtomic, (what) => this.violated(what))
  }

  get now(): number {
    return this.#scene.world.nowMs
  }

  violated(what: string): void {
    this.#scene.violated(what)
  }

  applied(writes: readonly Applied[]): void {
    const touched = new Set<string>()
    for (const write of writes) {
      const { key, value } = write
      const id = key.startsWith(taskPrefix) ? taskIdOf(key) : this.entries.note(write, this.now)
      if (id !== null) touched.add(id)
      if (!key.startsWith(taskPrefix) || id === null) continue
      if (value === null) this.violated(`${id} was removed`)
      else this.#moved(id, decoded(value))
    }
    for (const id of touched) {
      const task = this.tasks.get(id)
      if (task) this.entries.check(task, this.now)
    }
  }

  #moved(id: string, after: Stored): void {
    const before = this.tasks.get(id) ?? null
    this.tasks.set(id, after)
    const move = moveOf(before, after)
    if (move === null)
      this.violated(`${id} went from ${before?.status ?? 'none'} to ${after.status}`)
    if (move === null || move === 'touch') return
    for (const flaw of flawsOf(move, before, after)) this.violated(`${id}, ${move}: ${flaw}`)
    this.#remember(id, after)
    if (before === null) this.#created(after)
    else if (move === 'claim') this.attempts.claimed(before, after)
    else if (before.status === 'running' && after.status !== 'running')
      this.attempts.released(move, before, after)
    if (!isOrder(move)) return
    this.calls.written(move, after)
    const attempt = this.attempts.find(after.lease_id)
    if (move === 'cancel' && attempt) attempt.cancelAskedAt = this.now
  }

  /** A lease that is only renewed makes no other state. */
  #remember(id: string, task: Stored): void {
    const states = this.#states.get(id) ?? []
    this.#states.set(id, states)
    const likeness = likenessOf(task)
    if (states.at(-1)?.likeness !== likeness) states.push({ at: this.now, task, likeness })
  }

  #created(task: Stored): void {
    const { id, idempotency_key: key } = task
    const mark = task.input?.mark ?? ''
    const twin = this.#byMark.get(mark)
    if (twin !== undefined) this.violated(`${mark} was written as ${twin} and as ${id}`)
    this.#byMark.set(mark, id)
    if (this.#refused.has(mark)) this.violated(`${mark} was refused, and written later`)
    if (key === null) return
    const other = this.#byKey.get(key)
    if (other !== undefined) this.violated(`${other} and ${id} both have the key ${key}`)
    this.#byKey.set(key, id)
  }

  submitted(id: string, isNew: boolean, mark: string, key: string | null): void {
    const first = this.#states.get(id)?.[0]?.task
    if (!first) this.violated(`submit said ${id}, which was never written`)
    if (!first) return
    if (first.idempotency_key !== key)
      this.violated(`submit with key ${key} said ${id}, which has ${first.idempotency_key}`)
    if ((isNew || key === null) && first.input?.mark !== mark)
      this.violated(`submit of ${mark} said ${id} (new: ${isNew}), which is ${first.input?.mark}`)
  }

  notSubmitted(mark: string): void {
    this.#refused.add(mark)
    if (this.#byMark.has(mark)) this.violated(`${mark} was refused, yet its task was written`)
  }

  isThere(id: string): boolean {
    return this.#states.has(id)
  }

  /** States that a task has had at some time since then, oldest first. */
  statesSince(id: string, since: number): readonly Stored[] {
    const states = this.#states.get(id) ?? []
    const first = states.findLastIndex(({ at }) => at <= since)
    return states.slice(Math.max(0, first)).map(({ task }) => task)
  }

  /** A task that somebody was given must have been so at some time since the call. */
  seen(task: Task, since: number, what: string): void {
    const likeness = likenessOf(task as unknown as Stored)
    const states = this.statesSince(task.id, since)
    if (!states.some((state) => likenessOf(state) === likeness))
      this.violated(`${what} gave ${task.id} as it was at no time since: ${likeness}`)
  }

  /** Refused for its status: it must have had that at some time since the call. */
  refused(id: string, status: string, since: number, what: string): void {
    if (!this.statesSince(id, since).some((state) => state.status === status))
      this.violated(`${what} of ${id} was refused as ${status}, which it was at no time since`)
  }

  notFound(id: string, since: number): void {
    const [first] = this.#states.get(id) ?? []
    if (first && first.at < since) this.violated(`${id} is there, and was not found`)
  }

  /** Whoever lists a status must be given all tasks that have had it all the time. */
  listed(status: Status, tasks: readonly Task[], since: number): void {
    const ids = new Set(tasks.map(({ id }) => id))
    if (ids.size < tasks.length) this.violated(`list(${status}) gave a task twice`)
    for (const task of tasks) {
      this.seen(task, since, `list(${status})`)
      if (task.status !== status) this.violated(`list(${status}) gave a ${task.status} task`)
    }
    for (const id of this.tasks.keys()) {
      const states = this.#states.get(id) ?? []
      const isAlways =
        Number(states[0]?.at) <= since &&
        this.statesSince(id, since).every((state) => state.status === status)
      if (isAlways && !ids.has(id)) this.violated(`list(${status}) left out ${id}`)
    }
  }

  /** A history begins with the first state, leaves none out, and is as long as it was when somebody asked. */
  told(id: string, history: readonly Task[], since: number): void {
    const states = this.#states.get(id) ?? []
    const before = states.filter(({ at }) => at <= since).length
    if (history.length < before || history.length > states.length)
      this.violated(
        `the history of ${id} has ${history.length} states of ${before} to ${states.length}`,
      )
    const wrong = history.findIndex(
      (task, at) => states[at] && likenessOf(task as unknown as Stored) !== states[at].likeness,
    )
    if (wrong >= 0) this.violated(`state ${wrong + 1} in the history of ${id} is not what it was`)
  }

  withStatus(status: Status): Stored[] {
    return [...this.tasks.values()].filter((task) => task.status === status)
  }
}
