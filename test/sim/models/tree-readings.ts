import { isSame, type Seen } from './tree-asks.ts'
import { type Forest, type Stored, startable, type TreeRecord } from './tree-record.ts'

/** One entry of a history; only what is judged. */
interface Entry {
  readonly field: string
  readonly old_value: string
  readonly new_value: string
  readonly changed_by: string
  readonly changed_at: string
}

/** What must hold of what clients read, during the time for which they did. */
export class TreeReadings {
  /** Whether every task must be found, once a repair has run; until then, those whose creation was acknowledged. */
  isSettled = false
  readonly #record: TreeRecord
  readonly #acknowledged: ReadonlySet<string>
  readonly #violated: (what: string) => void

  constructor(
    record: TreeRecord,
    acknowledged: ReadonlySet<string>,
    violated: (what: string) => void,
  ) {
    this.#record = record
    this.#acknowledged = acknowledged
    this.#violated = violated
  }

  /** The chain of parents has said so at some moment. */
  checkDepth({ id, depth }: Seen, since: number): void {
    if (!this.#record.ever(since, (forest) => forest.ancestors(id)?.length === depth))
      this.#violated(`${id} was said to be at depth ${depth}, which it never was`)
  }

  one(task: Seen, version: number, since: number): void {
    if (!isSame(task, this.#record.version(task.id, version)))
      this.#violated(`${task.id} was read as it never was`)
    this.#checkNow(task, since)
    this.checkDepth(task, since)
  }

  gone(id: string): void {
    if (this.#record.forest().isThere(id)) this.#violated(`${id} was not found, and is there`)
  }

  /**
   * What could be started, the most urgent first, and no less. It looks at one task after another, so each thing that must
   * hold may have done so at a moment of its own.
   */
  ready(tasks: readonly Seen[], since: number): void {
    for (const task of tasks) {
      this.#checkNow(task, since)
      for (const holds of startable)
        if (!this.#record.ever(since, (forest) => holds(forest, task.id)))
          this.#violated(`${task.id} was said to be ready, and never was`)
    }
    const order = (task: Seen) => `${task.priority} ${task.created_at} ${task.id}`
    const sorted = tasks.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    if (sorted.some((task, at) => task !== tasks[at]))
      this.#violated(`what is ready came in the order ${tasks.map(order).join(', ')}`)
    const isReady = (forest: Forest, { id, priority }: Stored) =>
      forest.isStartable(id) && forest.get(id)?.priority === priority
    this.#checkWhole('ready', tasks, since, isReady)
  }

  /** What matched at some moment, in the order of creation, and no less. */
  list(tasks: readonly Seen[], total: number, since: number, isWanted: (task: Stored) => boolean) {
    const matches = (forest: Forest, id: string) => {
      const task = forest.get(id)
      return task !== null && forest.isThere(id) && task.deleted_at === null && isWanted(task)
    }
    for (const task of tasks) {
      this.#checkNow(task, since)
      if (!this.#record.ever(since, (forest) => matches(forest, task.id)))
        this.#violated(`${task.id} was listed, and never matched`)
    }
    const ids = tasks.map(({ id }) => id)
    if (ids.join() !== ids.toSorted().join()) this.#violated(`a list came in the order ${ids}`)
    if (total < tasks.length) this.#violated(`${tasks.length} of ${total} were listed`)
    this.#checkWhole('listed', tasks, since, (forest, { id }) => matches(forest, id))
  }

  /** All that was below it the whole time, and nothing that never was. */
  subtree(top: string, tasks: readonly Seen[], since: number): void {
    const isBelow = (forest: Forest, id: string) =>
      id === top || (forest.isBelow(id, top) && !isCut(forest, id, top))
    for (const task of tasks) {
      this.#checkNow(task, since)
      if (!this.#record.ever(since, (forest) => isBelow(forest, task.id)))
        this.#violated(`${task.id} was shown below ${top}, and never was there`)
    }
    this.#checkWhole(`shown below ${top}`, tasks, since, (forest, { id }) => isBelow(forest, id))
  }

  /** One entry for each field that was changed, the newest first, and who created it last. */
  history(id: string, entries: readonly Entry[], since: number): void {
    const said = linesOf(entries)
    const isSo = (forest: Forest) => linesOf(this.#entriesAt(forest, id)) === said
    if (!this.#record.ever(since, isSo)) {
      const wanted = linesOf(this.#entriesAt(this.#record.forest(), id))
      this.#violated(`the history of ${id} was told as ${said} instead of ${wanted}`)
    }
  }

  #entriesAt(forest: Forest, id: string): Entry[] {
    const now = forest.get(id)
    if (now === null) return []
    const states = this.#record.since(0, id).flatMap(({ after }) => after ?? [])
    const past = states.filter(({ change }) => change.n <= now.change.n)
    const changes = past.reverse().map(({ change }) => change)
    const entries = changes.flatMap(({ by, at, fields }) =>
      fields.map((field) => ({ ...field, changed_by: by, changed_at: at })),
    )
    const { created_by: by, created_at: at } = now
    const creation = { field: 'created_by', old_value: '', new_value: by }
    return [...entries, { ...creation, changed_by: by, changed_at: at }]
  }

  /** What was shown of a task is what it was at some moment of the call. */
  #checkNow(task: Seen, since: number): void {
    if (!this.#record.ever(since, (forest) => isSame(task, forest.get(task.id))))
      this.#violated(`${task.id} was shown as it was not during the call`)
  }

  #isOwed({ id }: Stored): boolean {
    return this.isSettled || this.#acknowledged.has(`${id} 0`)
  }

  #checkWhole(
    what: string,
    tasks: readonly Seen[],
    since: number,
    holds: (forest: Forest, task: Stored) => boolean,
  ): void {
    const shown = new Set(tasks.map(({ id }) => id))
    if (shown.size < tasks.length) this.#violated(`a task was ${what} twice`)
    for (const task of this.#record.forest().all())
      if (
        !shown.has(task.id) &&
        this.#isOwed(task) &&
        this.#record.always(since, (forest) => holds(forest, task))
      )
        this.#violated(`${task.id} was not ${what}, and should have been all the time`)
  }
}

/** Whether something hidden is on the way up to the top, or at its end. */
const isCut = (forest: Forest, id: string, top: string): boolean => {
  const above = forest.ancestors(id) ?? []
  const way = above.slice(
    0,
    above.findIndex((each) => each.id === top),
  )
  return [forest.get(id), ...way].some((task) => task !== null && task.deleted_at !== null)
}

const linesOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ field, old_value, new_value, changed_by, changed_at }) =>
      [field, old_value, new_value, changed_by, changed_at].join(' '),
    )
    .join('; ')
