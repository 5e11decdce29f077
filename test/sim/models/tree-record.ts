import type { Applied } from '../disk.ts'
import type { World } from '../world.ts'

/** What one change did to one field. */
export interface FieldChange {
  readonly field: string
  readonly old_value: string
  readonly new_value: string
}

/** A task as it is stored; only what is judged. */
export interface Stored {
  readonly id: string
  readonly parent_id: string | null
  readonly title: string
  readonly status: 'open' | 'in_progress' | 'pending_merge' | 'blocked' | 'closed'
  readonly priority: number
  readonly tags: readonly string[]
  readonly claimed_by: string | null
  readonly claimed_at: string | null
  readonly created_at: string
  readonly created_by: string
  readonly updated_at: string
  readonly deleted_at: string | null
  readonly doomed: string | null
  readonly change: {
    readonly n: number
    readonly at: string
    readonly by: string
    readonly fields: readonly FieldChange[]
  }
}

interface Version {
  readonly moment: number
  readonly task: Stored | null
}

/** One swap of a task. */
export interface Swap {
  readonly id: string
  readonly before: Stored | null
  readonly after: Stored | null
  readonly moment: number
  readonly atMs: number
}

const taskPrefix = 'coven/tasks/'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** All that tasks have ever been, moment by moment. A moment is the commit that changed one. */
export class TreeRecord {
  moment = 0
  readonly swaps: Swap[] = []
  readonly #versions = new Map<string, Version[]>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** By the clock that nobody sets. */
  get nowMs(): number {
    return this.#world.epochMs + this.#world.nowMs
  }

  /** Notes what a commit made of tasks; one written as it was does not count. */
  note(writes: readonly Applied[]): Swap[] {
    const swaps: Swap[] = []
    for (const { key, value, atMs } of writes) {
      if (!key.startsWith(taskPrefix)) continue
      const id = key.slice(taskPrefix.length)
      const before = this.now(id)
      const after = value === null ? null : (JSON.parse(text(value)) as Stored)
      if (JSON.stringify(before) === JSON.stringify(after)) continue
      const moment = ++this.moment
      const versions = this.#versions.get(id) ?? []
      versions.push({ moment, task: after })
      this.#versions.set(id, versions)
      swaps.push({ id, before, after, moment, atMs })
    }
    this.swaps.push(...swaps)
    return swaps
  }

  get ids(): Iterable<string> {
    return this.#versions.keys()
  }

  now(id: string): Stored | null {
    return this.#versions.get(id)?.at(-1)?.task ?? null
  }

  at(id: string, moment: number): Stored | null {
    return this.#versions.get(id)?.findLast((version) => version.moment <= moment)?.task ?? null
  }

  wasThere(id: string): boolean {
    return this.#versions.has(id)
  }

  /** The state in which a change has left a task. */
  version(id: string, n: number): Stored | null {
    return this.#versions.get(id)?.find(({ task }) => task?.change.n === n)?.task ?? null
  }

  /** The last state that was not gone. */
  last(id: string): Stored | null {
    return this.#versions.get(id)?.findLast(({ task }) => task !== null)?.task ?? null
  }

  /** The swaps of a task after a moment. */
  since(moment: number, id?: string): Swap[] {
    const swaps: Swap[] = []
    for (let at = this.swaps.length - 1; at >= 0; at--) {
      const swap = this.swaps[at] as Swap
      if (swap.moment <= moment) break
      if (id === undefined || swap.id === id) swaps.push(swap)
    }
    return swaps.reverse()
  }

  forest(moment = this.moment): Forest {
    return new Forest(this, moment)
  }

  /** Whether it was so at any moment since then; the latest is asked first. */
  ever(since: number, holds: (forest: Forest) => boolean): boolean {
    for (let moment = this.moment; moment >= since; moment--)
      if (holds(this.forest(moment))) return true
    return false
  }

  /** Whether it was so all the time since then. */
  always(since: number, holds: (forest: Forest) => boolean): boolean {
    return !this.ever(since, (forest) => !holds(forest))
  }
}

const isActive = ({ status }: Stored): boolean =>
  status === 'in_progress' || status === 'pending_merge'

/** The tree as it was at one moment. */
export class Forest {
  readonly moment: number
  readonly #record: TreeRecord

  constructor(record: TreeRecord, moment: number) {
    this.#record = record
    this.moment = moment
  }

  get(id: string): Stored | null {
    return this.#record.at(id, this.moment)
  }

  all(): Stored[] {
    return [...this.#record.ids].flatMap((id) => this.get(id) ?? [])
  }

  /** From the parent to the root; null where one is missing, doomed or below itself, or the task is. */
  ancestors(id: string): Stored[] | null {
    const chain: Stored[] = []
    for (let at = this.get(id); ; ) {
      if (at === null || at.doomed !== null || chain.length > 1_000) return null
      if (at.parent_id === null) return chain
      at = this.get(at.parent_id)
      if (at !== null) chain.push(at)
    }
  }

  isThere(id: string): boolean {
    return this.ancestors(id) !== null
  }

  /** Whether it is on a chain of parents that leads to itself. */
  isCircular(id: string): boolean {
    const seen = new Set<string>()
    for (let at = this.get(id); at !== null; at = at.parent_id ? this.get(at.parent_id) : null) {
      if (seen.has(at.id)) return true
      seen.add(at.id)
    }
    return false
  }

  children(id: string): Stored[] {
    return this.all().filter(({ parent_id, doomed }) => parent_id === id && doomed === null)
  }

  /** All below a task, whatever has become of it. */
  below(id: string): Stored[] {
    const below: Stored[] = []
    for (let level = this.children(id); level.length > 0 && below.length < 1_000; ) {
      below.push(...level)
      level = level.flatMap((each) => this.children(each.id))
    }
    return below
  }

  isBelow(id: string, above: string): boolean {
    return this.ancestors(id)?.some((ancestor) => ancestor.id === above) ?? false
  }

  /** It and all below it on which somebody works, or that wait for review. */
  activeWithin(id: string): Stored[] {
    const top = this.get(id)
    return [...(top ? [top] : []), ...this.below(id)].filter(isActive)
  }

  /** Whether it, or anything above it, was hidden by retention. */
  isHidden(id: string): boolean {
    const above = this.ancestors(id) ?? []
    return [this.get(id), ...above].some((task) => task !== null && task.deleted_at !== null)
  }

  /** Open, unclaimed, not deleted, no unfinished child, no blocked or closed ancestor. */
  isStartable(id: string): boolean {
    return startable.every((holds) => holds(this, id))
  }
}

/** All that must hold of what somebody can start. */
export const startable: readonly ((forest: Forest, id: string) => boolean)[] = [
  (forest, id) => {
    const task = forest.get(id)
    return task?.status === 'open' && task.claimed_by === null && task.deleted_at === null
  },
  (forest, id) => {
    const above = forest.ancestors(id)
    return above?.every(({ status }) => status !== 'blocked' && status !== 'closed') ?? false
  },
  (forest, id) =>
    forest
      .children(id)
      .every(({ status, deleted_at }) => status === 'closed' || deleted_at !== null),
]
