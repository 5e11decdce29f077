import type { Applied } from '../../disk.ts'
import { entriesOf, idOfEntry, isEntry, leasesPrefix, type Stored } from './stored.ts'

const textOf = (value: Uint8Array): string => new TextDecoder().decode(value)
/** For so long an entry without a task is left to whoever is about to create that. */
const creationMs = 10_000

/** For so long the removal of such an entry may be under way. */
const removalMs = 60_000

/** Follows the entries of the index: for every pending or running task there must be one at any moment. */
export class Entries {
  readonly #entries = new Map<string, { readonly type: string; readonly putAt: number }>()
  /** When each task came. */
  readonly #tasksSince = new Map<string, number>()
  readonly #violated: (what: string) => void
  /** Whether an entry and its task are written at once. Else two who want one id may both write its entry. */
  readonly #isAtomic: boolean
  /** Entries that were taken away before their task came, which took very long. */
  readonly #late = new Set<string>()

  constructor(isAtomic: boolean, violated: (what: string) => void) {
    this.#isAtomic = isAtomic
    this.#violated = violated
  }

  /** Answers with the ids that it may be about. */
  note({ key, value }: Applied, nowMs: number): string | null {
    if (!isEntry(key)) return null
    const id = idOfEntry(key)
    const before = this.#entries.get(key)
    // Put again, it stands since it was put first: so a sweep counts, too.
    if (value !== null)
      this.#entries.set(key, { type: textOf(value), putAt: before?.putAt ?? nowMs })
    else {
      this.#entries.delete(key)
      const isOld = before !== undefined && nowMs - before.putAt >= creationMs
      const since = this.#tasksSince.get(id ?? '') ?? nowMs
      if (isOld && nowMs - since < removalMs) this.#late.add(key)
    }
    return id
  }

  /** After a commit. */
  check(task: Stored, nowMs: number): void {
    if (!this.#tasksSince.has(task.id)) this.#tasksSince.set(task.id, nowMs)
    for (const key of entriesOf(task)) {
      const entry = this.#entries.get(key)
      if (!entry) {
        if (!this.#late.has(key)) this.#violated(`${task.id} is ${task.status} without ${key}`)
      } else if (this.#isAtomic && !key.startsWith(leasesPrefix) && entry.type !== task.task_type)
        this.#violated(`${key} says ${entry.type} of a task of type ${task.task_type}`)
    }
  }

  /** When all was swept: exactly what the tasks ask for. Where a clock was wrong, what is stale may seem to be new. */
  checkAll(tasks: Iterable<Stored>, isTimely: boolean): void {
    const expected = new Set([...tasks].flatMap(entriesOf))
    for (const key of expected)
      if (!this.#entries.has(key)) this.#violated(`after all sweeps ${key} is missing`)
    for (const key of this.#entries.keys())
      if (isTimely && !expected.has(key)) this.#violated(`after all sweeps ${key} is left`)
  }
}
