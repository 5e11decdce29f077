import { isDeepStrictEqual } from 'node:util'
import { impliedKeys } from '../../tree/layout.ts'
import type { Applied } from '../disk.ts'
import type { Scene } from '../model.ts'
import type { Stored, Swap, TreeRecord } from './tree-record.ts'

/** From which status a task may go to which other, and who may do that. */
const moves: Readonly<Record<string, 'claim' | 'owner' | 'anybody'>> = {
  'open in_progress': 'claim',
  'in_progress open': 'owner',
  'in_progress pending_merge': 'owner',
  'in_progress blocked': 'owner',
  'in_progress closed': 'owner',
  'pending_merge closed': 'anybody',
  'pending_merge blocked': 'anybody',
  'blocked open': 'anybody',
  'blocked closed': 'anybody',
}

const toldFields = [
  ...['title', 'body', 'type', 'status', 'priority', 'claimed_by', 'grimoire_hint', 'grimoire'],
  ...['parent_id', 'tags', 'deleted_at'],
]
/** What every text of a workload carries, so that it is known again wherever it is written. */
const markForm = /m\d+x/g

const registerKey = 'coven/meta/structure'
const historyPrefix = 'coven/history/'
const indexForm = /^coven\/(tags|children|ready|active|unfinished|closed|trash|doomed)\//

interface Register {
  readonly intent: { readonly task: string; readonly kind: string } | null
}

/** What must hold of every write, by itself and with what stands beside it. */
export class TreeWrites {
  readonly #scene: Scene
  readonly #record: TreeRecord
  readonly #claimTimeoutMs: number
  /** Keys of indexes and histories that stand, and those that ever did. */
  readonly #standing = new Map<string, string>()
  readonly #everStood = new Set<string>()
  /** When the shape was last meant to be changed, as a moment. */
  #intentMoment = 0
  /** Whose claims may be taken by force: "ID AGENT". */
  readonly forced = new Set<string>()
  /** Which tasks agents have asked to be restored. */
  readonly restoring = new Map<string, Set<string>>()
  /** Which change brought which mark. */
  readonly marks = new Map<string, Swap>()
  /** Marks of calls that were told that nothing has happened. */
  readonly refused = new Set<string>()
  /** Changes that somebody was told of: "ID N". */
  readonly acknowledged = new Set<string>()
  /** Claims that a deletion above them came before. */
  readonly tooLate = new Set<string>()
  /** Creations that were taken back. */
  readonly takenBack = new Set<string>()

  constructor(scene: Scene, record: TreeRecord, claimTimeoutMs: number) {
    this.#scene = scene
    this.#record = record
    this.#claimTimeoutMs = claimTimeoutMs
  }

  applied(writes: readonly Applied[]): void {
    for (const write of writes) this.#noteKey(write)
    for (const swap of this.#record.note(writes)) this.#judge(swap)
    for (const { key, value } of writes) if (value === null) this.#checkRemoved(key)
  }

  #noteKey({ key, value }: Applied): void {
    if (key === registerKey && value !== null) {
      const { intent } = JSON.parse(new TextDecoder().decode(value)) as Register
      if (intent !== null) this.#intentMoment = this.#record.moment
    }
    if (!indexForm.test(key) && !key.startsWith(historyPrefix)) return
    this.#everStood.add(key)
    if (value === null) this.#standing.delete(key)
    else this.#standing.set(key, new TextDecoder().decode(value))
  }

  /** A mark goes only from a task that does not imply it, and a history only with its task. */
  #checkRemoved(key: string): void {
    if (key.startsWith(historyPrefix)) {
      const id = key.slice(historyPrefix.length).split('/')[0] as string
      if (this.#record.forest().isThere(id) && this.#isKept(id))
        this.#violated(`${key} was removed, and its task is there`)
    } else if (indexForm.test(key)) {
      const task = this.#record.now(key.slice(key.lastIndexOf('/') + 1))
      // A creation that is slow puts its marks once more.
      if (task !== null && task.change.n > 0 && impliedKeys(task).includes(key))
        this.#violated(`${key} was removed, and its task implies it`)
    }
  }

  #judge(swap: Swap): void {
    const { before, after } = swap
    if (after === null) this.#removed(swap.id, before as Stored)
    else if (before === null) this.#created(swap, after)
    else this.#changed(swap, before, after)
  }

  #created(swap: Swap, after: Stored): void {
    const { id, change, parent_id } = after
    if (this.#record.swaps.some((other) => other.id === id && other.moment < swap.moment))
      this.#violated(`${id} was written again after it was gone`)
    const isFresh = after.status === 'open' && after.claimed_by === null && change.n === 0
    if (!isFresh || after.deleted_at !== null || after.doomed !== null)
      this.#violated(`${id} does not begin open and free`)
    if (after.created_by !== change.by) this.#violated(`${id} was created by somebody else`)
    if (parent_id !== null && !this.#record.wasThere(parent_id))
      this.#violated(`the parent of ${id} never was`)
    for (const key of impliedKeys(after))
      if (!this.#everStood.has(key)) this.#violated(`${id} was written before ${key}`)
    if (this.#record.forest().isThere(id)) this.#noteMarks(swap, after.title)
  }

  #changed(swap: Swap, before: Stored, after: Stored): void {
    const { id } = after
    if (after.change.n !== before.change.n + 1)
      this.#violated(`change ${before.change.n} of ${id} is followed by ${after.change.n}`)
    this.#checkHistory(before, after)
    this.#checkMarks(before, after)
    for (const { old_value, new_value, ...said } of after.change.fields) {
      const known: readonly string[] = old_value.match(markForm) ?? []
      for (const mark of `${new_value} ${JSON.stringify(said)}`.match(markForm) ?? [])
        if (!known.includes(mark)) this.#noteMark(swap, mark)
    }
    if (before.status !== after.status) this.#moved(before, after)
    else if (before.claimed_by !== after.claimed_by)
      this.#violated(`${id} went from ${before.claimed_by} to ${after.claimed_by} without a move`)
    if (before.deleted_at !== after.deleted_at) this.#hidden(before, after)
    if (before.parent_id !== after.parent_id) this.#reparented(after)
    if (before.doomed !== after.doomed) this.#doomed(swap, after)
  }

  /** Every field that has changed is told, and what was told before is kept before it is replaced. */
  #checkHistory(before: Stored, after: Stored): void {
    const { id } = after
    const textOf = (task: Stored, field: string) => String(task[field as keyof Stored] ?? '')
    const changed = toldFields
      .filter((field) => textOf(before, field) !== textOf(after, field))
      .map((field) => `${field} ${textOf(before, field)} ${textOf(after, field)}`)
    const told = after.change.fields.map(
      ({ field, old_value, new_value }) => `${field} ${old_value} ${new_value}`,
    )
    if (changed.join('; ') !== told.join('; '))
      this.#violated(`change ${after.change.n} of ${id} tells ${told}, and did ${changed}`)
    const isThere = this.#record.forest(this.#record.moment - 1).isThere(id)
    if (before.change.fields.length === 0 || !isThere) return
    const key = `${historyPrefix}${id}/${before.change.n.toString(16).padStart(8, '0')}`
    const kept = this.#standing.get(key)
    if (kept === undefined) this.#violated(`${key} is missing when its change is replaced`)
    else if (!isDeepStrictEqual(JSON.parse(kept), before.change))
      this.#violated(`${key} is not what the change was`)
  }

  #checkMarks(before: Stored, after: Stored): void {
    const had = impliedKeys(before)
    for (const key of impliedKeys(after))
      if (!had.includes(key) && !this.#standing.has(key))
        this.#violated(`${after.id} was swapped before ${key} was put`)
  }

  #noteMarks(swap: Swap, text: string): void {
    for (const mark of text.match(markForm) ?? []) this.#noteMark(swap, mark)
  }

  #noteMark(swap: Swap, mark: string): void {
    if (this.refused.has(mark)) this.#violated(`${mark} was refused, and written later`)
    if (!this.marks.has(mark)) this.marks.set(mark, swap)
    else if (this.marks.get(mark)?.id !== swap.id) this.#violated(`${mark} was written twice`)
  }

  #moved(before: Stored, after: Stored): void {
    const { id, status, change } = after
    const whose = moves[`${before.status} ${status}`]
    if (whose === undefined) this.#violated(`${id} went from ${before.status} to ${status}`)
    if (before.deleted_at !== null) this.#violated(`${id} was moved while it was hidden`)
    const isFree = status === 'open' || status === 'blocked'
    const holder = whose === 'claim' ? change.by : isFree ? null : before.claimed_by
    if (after.claimed_by !== holder)
      this.#violated(`${id} is ${status} and held by ${after.claimed_by}, not by ${holder}`)
    if (whose === 'claim' && before.claimed_by !== null)
      this.#violated(`${id} was claimed from ${before.claimed_by}`)
    if (whose !== 'owner' || change.by === before.claimed_by) return
    const isForced = status === 'open' && this.forced.has(`${id} ${change.by}`)
    const isStale = status === 'open' && change.by === 'system' && this.#isStale(before)
    if (!isForced && !isStale)
      this.#violated(`${change.by} took ${id} from ${before.claimed_by} to ${status}`)
  }

  /** Where the store has a clock, claims are as old as it says. */
  #isStale({ claimed_at }: Stored): boolean {
    const { world, kind } = this.#scene
    const ageMs = world.epochMs + world.nowMs - Date.parse(claimed_at ?? '')
    return !kind.hasClock || ageMs > this.#claimTimeoutMs
  }

  #hidden(before: Stored, after: Stored): void {
    const { id, status, change, deleted_at } = after
    if (deleted_at !== null) {
      if (change.by !== 'system') this.#violated(`${change.by} has hidden ${id}`)
      if (before.deleted_at !== null) this.#violated(`${id} was hidden while it was hidden`)
      if (status !== 'closed') this.#violated(`${id} was hidden while it was ${status}`)
    } else if (change.by !== 'system' && !this.#isAskedFor(change.by, before.deleted_at))
      this.#violated(`${change.by} brought back ${id}, which was hidden at another time`)
  }

  /** Whether an agent has asked for a task that was hidden at this very time. */
  #isAskedFor(agent: string, time: string | null): boolean {
    return [...(this.restoring.get(agent) ?? [])].some((id) =>
      this.#record.since(0, id).some(({ after }) => after?.deleted_at === time),
    )
  }

  #reparented({ id, parent_id }: Stored): void {
    const forest = this.#record.forest()
    if (forest.isCircular(id)) this.#violated(`${id} is below itself`)
    if (parent_id !== null && !forest.isThere(parent_id))
      this.#violated(`${id} was moved below ${parent_id}, which is gone`)
  }

  /** A deletion takes nothing on which somebody works. Who claims at that moment may be too late, but is told so. */
  #doomed({ moment }: Swap, { id }: Stored): void {
    const before = this.#record.forest(moment - 1)
    for (const active of before.activeWithin(id)) {
      const claim = this.claimOf(active)
      if (claim === null || !before.isThere(active.id)) continue
      const name = `${active.id} ${claim.after?.change.n}`
      if (this.acknowledged.has(name) || active.id === id)
        this.#violated(`${id} was deleted while ${active.claimed_by} held ${active.id}`)
      else if (claim.moment <= this.#intentMoment)
        this.#violated(`${id} was deleted though ${active.id} had been claimed before`)
      this.tooLate.add(name)
    }
  }

  /** The change by which its holder has got a task. */
  claimOf({ id, claimed_by, change }: Stored): Swap | null {
    const isClaim = ({ before, after }: Swap) =>
      before?.status === 'open' && after?.status === 'in_progress'
    const claims = this.#record.since(0, id).filter(isClaim)
    const claim = claims.findLast(({ after }) => (after?.change.n ?? 0) <= change.n)
    return claim?.after?.claimed_by === claimed_by ? claim : null
  }

  /** Only what is gone for everybody is removed, or what nobody was told of. */
  #removed(id: string, before: Stored): void {
    const forest = this.#record.forest(this.#record.moment - 1)
    if (before.doomed !== null || !forest.isThere(id)) return
    this.takenBack.add(id)
    if (this.#isKept(id)) this.#violated(`${id} was removed, and was not deleted`)
  }

  #isKept(id: string): boolean {
    return [...this.acknowledged].some((name) => name.startsWith(id))
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}
