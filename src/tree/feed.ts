import { type DocumentEvent, inBatches, inTurns } from '../collection/index.ts'
import { eventLoopTurn, type Store } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import { Bodies } from './bodies.ts'
import type { Tasks } from './documents.ts'
import { changesOf } from './history.ts'
import { eventTypeOf, Journal, type Resync, type TaskEvent } from './journal.ts'
import { type Link, Places, unreadable } from './places.ts'
import { type Change, type Task, type TaskDocument, taskOf } from './task.ts'

/** What is remembered of a task: enough to tell what has changed, and to tell of it when it is gone. */
interface Known {
  readonly n: number
  readonly task: Task
}

/** How many changes are looked at together. */
const batchMax = 1_000

/**
 * Follows the tasks of a store, whoever changes them, and tells of every change by events. Nothing is written:
 * tasks number their changes, and their history tells what each was, so that none is missed even where the
 * store tells of several at once, or of none for a while.
 */
export class TaskFeed implements AsyncDisposable {
  readonly #store: Store
  readonly #tasks: Tasks
  readonly #journal: Journal
  readonly #known = new Map<string, Known>()
  /** The ids of what is right below others, as far as they are known. */
  readonly #children = new Map<string, Set<string>>()
  readonly #bodies = new Bodies()
  readonly #ending = new AbortController()
  #following: Promise<void> | undefined

  constructor(store: Store, tasks: Tasks, journal = new Journal()) {
    this.#store = store
    this.#tasks = tasks
    this.#journal = journal
  }

  /** Reads what there is, and follows from there on. Fails later by the promise that this answers with. */
  async start(): Promise<{ following: Promise<void> }> {
    const hints = this.#tasks.watch(this.#ending.signal)
    try {
      // Subscribe before reading: the watch reports every change after its first hint, so one read of all tasks is enough.
      await hints.next()
      await this.#knowAll()
      // Followers missed the changes made before this read, so they get a resync.
      this.#journal.renew()
    } catch (error) {
      await hints.return(undefined)
      throw error
    }
    this.#following = this.#follow(hints)
    // Who started it may look at this only at the end.
    this.#following.catch(() => {})
    return { following: this.#following }
  }

  async #knowAll(): Promise<void> {
    for await (const { value } of this.#tasks.scan())
      if (value.doomed === null) this.#know(value, taskOf(value, 0))
    const places = new Places((id) => linkOf(this.#known.get(id)?.task))
    for (const [id, known] of this.#known) {
      const turn = eventLoopTurn()
      if (turn) await turn
      const { depth } = await places.of(id)
      this.#known.set(id, { ...known, task: { ...known.task, depth } })
    }
  }

  /** The last event that there is: who begins now goes on from here. */
  get lastId(): string {
    return this.#journal.lastId
  }

  /** Events after one that was seen, or from now on. What is not known any more begins with a resync. */
  events(lastSeen: string | null, signal: AbortSignal): AsyncGenerator<TaskEvent | Resync> {
    return this.#journal.follow(lastSeen, AbortSignal.any([signal, this.#ending.signal]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#following?.catch(() => {})
    this.#bodies[Symbol.dispose]()
  }

  async #follow(hints: AsyncIterable<DocumentEvent>): Promise<void> {
    for await (const events of inBatches(hints, batchMax)) {
      const ids = new Set<string>()
      for (const event of events) if (event.type === 'document') ids.add(event.id)
      if (events.some(({ type }) => type !== 'document')) await this.#lookAtAll()
      else await this.#look([...ids])
    }
  }

  /** After a gap everything is compared with what was known, so that nobody need hear of the gap. */
  async #lookAtAll(): Promise<void> {
    const gone = new Set(this.#known.keys())
    let changed: string[] = []
    for await (const { id, value } of this.#tasks.scan()) {
      gone.delete(id)
      if (value.doomed !== null || value.change.n !== this.#known.get(id)?.n) changed.push(id)
      if (changed.length < batchMax) continue
      await this.#look(changed)
      changed = []
    }
    await this.#look([...changed, ...gone])
  }

  async #look(ids: readonly string[]): Promise<void> {
    const found = await this.#tasks.getAll(ids)
    const documents = new Map(found.map(({ id, value }) => [id, value]))
    for (const id of ids) {
      const turn = eventLoopTurn()
      if (turn) await turn
      const document = documents.get(id)
      const depth = document ? await this.#depthOf(document) : null
      if (!document || depth === null) await this.#tellGone(id, document)
      else await this.#tell(document, taskOf(document, depth))
    }
  }

  /**
   * How deep a task is; null where it is gone. What is above it is known, and where that has changed meanwhile, that is told
   * of next: on a deep chain it would take long to read all of it for each change.
   */
  async #depthOf(document: TaskDocument): Promise<number | null> {
    const { parent_id, doomed } = document
    if (doomed !== null) return null
    if (parent_id === null) return 0
    const parent = this.#known.get(parent_id)
    if (parent) return parent.task.depth + 1
    const { isThere, depth } = await new Ancestry(this.#tasks).placeOf(document)
    return isThere ? depth : null
  }

  async #tell(document: TaskDocument, task: Task): Promise<void> {
    const known = this.#known.get(task.id)
    if (!known) this.#journal.add('task.created', task)
    for (const change of await this.#changesSince(document, known?.n ?? 0)) {
      const type = eventTypeOf(change)
      if (type) this.#journal.add(type, task)
    }
    this.#know(document, task)
    if (known && known.task.depth !== task.depth) await this.#deepen(task)
  }

  /**
   * A task was moved: what is below it is as deep as the task says now. Of two moves the later one may be known first, so
   * what is known may be a circle for a moment.
   */
  async #deepen({ id, depth }: Pick<Task, 'id' | 'depth'>): Promise<void> {
    const depths = new Map([[id, depth]])
    for (const [above, depth] of depths)
      await inTurns([...(this.#children.get(above) ?? [])], (id) => {
        const known = this.#known.get(id)
        if (!known || depths.has(id)) return
        this.#known.set(id, { ...known, task: { ...known.task, depth: depth + 1 } })
        depths.set(id, depth + 1)
      })
  }

  /** With a task all below it is gone, however long it takes to remove that. */
  async #tellGone(top: string, document: TaskDocument | undefined): Promise<void> {
    this.#tellDeleted(top, document)
    const gone = [top]
    for (const parent of gone) {
      const ids = [...(this.#children.get(parent) ?? [])]
      const below = await this.#tasks.getAll(ids)
      const documents = new Map(below.map(({ id, value }) => [id, value]))
      await inTurns(ids, (id) => {
        const child = documents.get(id)
        if (child && child.parent_id !== parent) return
        this.#tellDeleted(id, child)
        gone.push(id)
      })
    }
  }

  #tellDeleted(id: string, document: TaskDocument | undefined): void {
    const known = this.#known.get(id)
    if (!known) return
    this.#journal.add('task.deleted', this.#lastOf(known, document))
    this.#unlink(known.task)
    this.#known.delete(id)
    this.#bodies.keep(id, null)
  }

  async #changesSince(document: TaskDocument, n: number): Promise<readonly Change[]> {
    if (document.change.n <= n) return []
    if (document.change.n === n + 1) return [document.change]
    return (await changesOf(this.#store, document)).filter((change) => change.n > n)
  }

  /** A task that is gone, as it was last: by its document as long as that is there. */
  #lastOf({ task }: Known, document: TaskDocument | undefined): Task {
    if (document) return taskOf(document, task.depth)
    return { ...task, body: this.#bodies.of(task.id) }
  }

  #know({ id, change }: TaskDocument, { body, ...task }: Task): void {
    const known = this.#known.get(id)
    if (known) this.#unlink(known.task)
    this.#link(task)
    this.#known.set(id, { n: change.n, task: { ...task, body: null } })
    this.#bodies.keep(id, body)
  }

  #link({ id, parent_id }: Pick<Task, 'id' | 'parent_id'>): void {
    if (parent_id === null) return
    const siblings = this.#children.get(parent_id)
    if (siblings) siblings.add(id)
    else this.#children.set(parent_id, new Set([id]))
  }

  #unlink({ id, parent_id }: Task): void {
    const siblings = this.#children.get(parent_id ?? '')
    siblings?.delete(id)
    if (siblings?.size === 0) this.#children.delete(parent_id ?? '')
  }
}

/** By what is known, without reading; what is above a task that is not known ends the chain. */
const linkOf = (task: Task | undefined): Link | typeof unreadable =>
  task ? { parent_id: task.parent_id, status: task.status, doomed: null } : unreadable
