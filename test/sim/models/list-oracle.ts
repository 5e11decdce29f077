import type { Refusal, Task } from '../../../src/list/index.ts'
import type { Applied } from '../disk.ts'
import type { Observer, Scene } from '../model.ts'
import { checkSettled } from './list-settled.ts'
import { TagLists } from './list-tags.ts'
import { States, type Window } from './states.ts'

/** What a query asks for. */
export interface Asked {
  readonly any?: readonly string[]
  readonly all?: readonly string[]
  readonly done?: boolean
  readonly limit?: number
}

const prefix = 'utask_tasks/'
/** Marks are texts that only one call writes. */
const isMark = (text: string): boolean => text.startsWith('mark-')

/**
 * What must hold of tasks and their tags, by the specification alone: it follows the documents as they are written, and
 * compares what clients were told with them.
 */
export class ListOracle {
  readonly #scene: Scene
  readonly #tasks = new States<Task>()
  readonly #tags = new TagLists()
  /** Whose creation somebody was told of. */
  readonly #acknowledged = new Map<string, number>()
  /** Whose deletion was asked for. */
  readonly #doomed = new Set<string>()
  readonly #mustNotExist = new Set<string>()
  /** What has been written to texts that are marks. */
  readonly #marks = new Set<string>()
  #tick = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** When a call begins. */
  get tick(): number {
    return this.#tick
  }

  /** The ids of all tasks that are there and that one call has added, also where it has not been answered. */
  marked(): string[] {
    return this.#all()
      .filter(({ id }) => isMark(this.#tasks.changes(id)[0]?.after?.text ?? ''))
      .map(({ id }) => id)
  }

  applied(writes: readonly Applied[]): void {
    this.#tick++
    const suspects: { tag: string; id: string }[] = []
    for (const { key, value } of writes)
      if (TagLists.holds(key)) {
        const { tag, gone } = this.#tags.note(key, value)
        for (const id of gone) suspects.push({ tag, id })
      } else if (key.startsWith(prefix)) {
        const id = key.slice(prefix.length)
        const task = value === null ? null : (JSON.parse(new TextDecoder().decode(value)) as Task)
        if (this.#moved(id, task)) for (const tag of task?.tags ?? []) suspects.push({ tag, id })
      } else this.#violated(`${key} belongs to nobody`)
    for (const { tag, id } of suspects) this.#checkListed(tag, id)
  }

  adding(task: Task): void {
    const { id } = task
    const [first] = this.#tasks.changes(id)
    if (first?.after === undefined || !isSame(first.after, task))
      this.#violated(`add said ${shown(task)}, which was never written so`)
    if (this.#acknowledged.has(id)) this.#violated(`${short(id)} was given to two calls of add`)
    this.#acknowledged.set(id, this.#tick)
    for (const tag of this.#tasks.now(id)?.tags ?? []) this.#checkListed(tag, id)
  }

  /** No task may have this text, now or later. */
  notWritten(text: string): void {
    if (!isMark(text)) return
    this.#mustNotExist.add(text)
    if (this.#marks.has(text)) this.#violated(`${text} was refused, yet written`)
  }

  edited(outcome: { task: Task; before: Task; changed: boolean }, since: number): void {
    const { task, before, changed } = outcome
    const window = this.#until(since)
    if (!changed) {
      const was = this.#tasks.during(task.id, window)
      if (!was.some((state) => isSame(state, task)))
        this.#violated(`"nothing changed" of ${shown(task)}, which it was not`)
      return
    }
    const made = this.#tasks
      .changes(task.id)
      .filter(({ tick }) => tick > since && tick <= window.until)
      .filter((change) => isSame(change.after, task))
      // Without a text of its own, a change whose answer was lost can't be told from one by others that left the same.
      .filter((change) => task.text === before.text || isSame(change.before, before))
    if (made.length === 0)
      this.#violated(`an edit said ${shown(before)} became ${shown(task)}, and it did not`)
  }

  deleting(id: string): void {
    this.#doomed.add(id)
  }

  deleted(id: string, since: number): void {
    if (this.#tasks.now(id) !== null)
      this.#violated(`${short(id)} is said to be deleted, and is there`)
    if (!this.#tasks.hasChangedIn(id, this.#until(since)))
      this.#violated(`a delete of ${short(id)} claims what it did not do`)
  }

  /** A refusal must have been true at some moment of the call. */
  refused(idOrPrefix: string, { kind, name }: Refusal, since: number): void {
    const window = this.#until(since)
    const ids = this.#lasting(window, (task) => task.id.startsWith(idOrPrefix))
    if (kind === 'not_found' && ids.length > 0)
      this.#violated(`${short(idOrPrefix)} was not found, but ${short(ids[0] as string)} was there`)
    if (kind === 'ambiguous' && this.#starting(idOrPrefix, window).length < 2)
      this.#violated(`${idOrPrefix} was ambiguous, but there were not two`)
    if (kind !== 'not_found' && kind !== 'ambiguous') this.#violated(`nobody expected ${name}`)
  }

  resolved(given: string, id: string, since: number): void {
    const window = this.#until(since)
    if (!this.#starting(given, window).includes(id))
      this.#violated(`${given} became ${short(id)}, which was not there`)
    const ids = this.#lasting(window, (task) => task.id.startsWith(given))
    if (ids.some((other) => other !== id))
      this.#violated(`${given} became ${short(id)}, but it was ambiguous`)
  }

  /** The lists of several tags are read one after the other, so an answer must have what one of them named all the while. */
  #wanted({ any = [], ...rest }: Asked, window: Window): string[] {
    const asked: Asked[] =
      any.length < 2 ? [{ any, ...rest }] : any.map((tag) => ({ any: [tag], ...rest }))
    return asked.flatMap((each) => this.#lasting(window, (task) => fits(task, each)))
  }

  queried(asked: Asked, found: readonly Task[], since: number): void {
    const window = this.#until(since)
    for (const task of found) {
      if (!fits(task, asked)) this.#violated(`${describe(asked)} gave ${shown(task)}`)
      if (!this.#tasks.during(task.id, window).some((state) => isSame(state, task)))
        this.#violated(`${describe(asked)} gave ${shown(task)}, which it never was meanwhile`)
    }
    this.#checkOrder(found)
    const ids = new Set(found.map(({ id }) => id))
    if (ids.size < found.length) this.#violated(`${describe(asked)} gave a task twice`)
    if (found.length > (asked.limit ?? found.length)) this.#violated(`more than ${asked.limit}`)
    if (found.length === asked.limit) return
    for (const id of this.#wanted(asked, window))
      if (!ids.has(id)) this.#violated(`${describe(asked)} left out ${shown(this.#tasks.now(id))}`)
  }

  /** At the end, when nothing goes wrong any more. */
  settled(observer: Observer, open: Parameters<typeof checkSettled>[0]['list']): Promise<void> {
    for (const id of this.#acknowledged.keys())
      if (this.#tasks.now(id) === null && !this.#doomed.has(id))
        this.#violated(`${short(id)} is gone, and nobody deleted it`)
    return checkSettled({
      observer,
      list: open,
      tasks: this.#all(),
      tags: this.#tags,
      violated: (what) => this.#violated(what),
    })
  }

  /** Says whether it has changed. */
  #moved(id: string, after: Task | null): boolean {
    const before = this.#tasks.now(id)
    if (isSame(before, after)) return false
    const wasThere = this.#tasks.changes(id).length > 0
    this.#tasks.note(id, after, this.#tick)
    if (after === null) return true
    if (before === null && wasThere) this.#violated(`${short(id)} was deleted, and is there again`)
    if (after.id !== id) this.#violated(`${short(id)} holds the task ${short(after.id)}`)
    if (before !== null && before.created !== after.created)
      this.#violated(`${short(id)} was created at two times`)
    if (isMark(after.text) && before?.text !== after.text) this.#noteMark(after.text)
    return true
  }

  #noteMark(text: string): void {
    if (this.#marks.has(text)) this.#violated(`${text} was written twice`)
    this.#marks.add(text)
    if (this.#mustNotExist.has(text)) this.#violated(`${text} was refused, and written later`)
  }

  /** A task that somebody was told of is in the list of each of its tags, at every moment. */
  #checkListed(tag: string, id: string): void {
    if (!this.#acknowledged.has(id) || !this.#tasks.now(id)?.tags.includes(tag)) return
    if (!this.#tags.names(tag, id)) this.#violated(`the list of ${tag} lacks ${short(id)}`)
  }

  #checkOrder(tasks: readonly Task[]): void {
    const keys = tasks.map(({ created, id }) => `${created} ${id}`)
    if (keys.join() !== keys.toSorted().join()) this.#violated(`not by time: ${keys.join()}`)
  }

  /** The ids of tasks that were there before the window began, and so all the while. */
  #lasting(window: Window, holds: (task: Task) => boolean): string[] {
    return [...this.#acknowledged]
      .filter(([, tick]) => tick <= window.since)
      .map(([id]) => id)
      .filter((id) =>
        this.#tasks.during(id, window).every((state) => state !== null && holds(state)),
      )
  }

  #starting(given: string, window: Window): string[] {
    return [...this.#tasks.keys()].filter(
      (id) => id.startsWith(given) && this.#tasks.during(id, window).some((task) => task !== null),
    )
  }

  #all(): Task[] {
    return [...this.#tasks.keys()].map((id) => this.#tasks.now(id)).filter((task) => task !== null)
  }

  #until(since: number): Window {
    return { since, until: this.#tick }
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}

export const short = (id: string): string => id.slice(0, 12)

const shown = (task: Task | null): string =>
  task === null ? 'nothing' : JSON.stringify({ ...task, id: short(task.id) })

const describe = (asked: Asked): string => `the query ${JSON.stringify(asked)}`

const isSame = (a: Task | null, b: Task | null): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

/** ANY is a union, ALL an intersection, and both must hold. */
export function fits({ tags, done }: Task, { any = [], all = [], done: wanted }: Asked): boolean {
  if (any.length > 0 && !any.some((tag) => tags.includes(tag))) return false
  return all.every((tag) => tags.includes(tag)) && (wanted ?? done) === done
}
