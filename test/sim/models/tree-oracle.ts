import type { Play, Scene } from '../model.ts'
import { type Ask, alreadyOf, changeOf, isSame, type Refused, type Said } from './tree-asks.ts'
import { TreeReadings } from './tree-readings.ts'
import { type Forest, type Swap, TreeRecord } from './tree-record.ts'
import { flawOf } from './tree-refusals.ts'
import { TreeWrites } from './tree-writes.ts'

/**
 * What must hold of a tree of tasks, by its specification alone: it follows the documents as they are written, and
 * compares what clients were told with them.
 */
export class TreeOracle {
  readonly record: TreeRecord
  readonly writes: TreeWrites
  readonly readings: TreeReadings
  readonly #scene: Scene
  /** Changes that one call was told are its own. */
  readonly #credited = new Set<Swap>()
  /** What may have been done, or be done later: "AGENT VERB ID". */
  readonly #doubtful = new Set<string>()

  constructor(scene: Scene, claimTimeoutMs: number) {
    this.#scene = scene
    this.record = new TreeRecord(scene.world)
    this.writes = new TreeWrites(scene, this.record, claimTimeoutMs)
    this.readings = new TreeReadings(this.record, this.writes.acknowledged, (what) =>
      this.violated(what),
    )
  }

  applied: Play['applied'] = (writes) => this.writes.applied(writes)

  /** Notes what a call may do; it lasts from this moment. */
  begun({ verb, agent, id, isForced = false }: Ask): number {
    if (isForced) this.writes.forced.add(`${id} ${agent}`)
    if (verb === 'restore') {
      const ids = this.writes.restoring.get(agent) ?? new Set()
      this.writes.restoring.set(agent, ids.add(id))
    }
    return this.record.moment
  }

  done(ask: Ask, since: number, said: Said): void {
    const { id } = said.task
    if (ask.verb === 'create') this.#created(ask, said)
    else if (ask.verb === 'restore') this.#restored(ask, since, said)
    else if (said.isChanged) this.#won(ask, since)
    else this.#wasSo(ask, since)
    const { version } = said
    const written = version === undefined ? null : this.record.version(id, version)
    if (version !== undefined && !isSame(said.task, written))
      this.violated(`${shown(ask)} was answered with a version ${version} that never was`)
    this.readings.checkDepth(said.task, since)
  }

  /** One of many tasks, of which no more is said than this. */
  bulkDone(ask: Ask, since: number, isChanged: boolean): void {
    if (ask.verb === 'delete') this.deleted(ask, since, [])
    else if (isChanged) this.#won(ask, since)
    else this.#wasSo(ask, since)
  }

  /** Whoever deletes a task that is gone by then has got what was asked for. */
  deleted(ask: Ask, since: number, descendants: readonly string[]): void {
    if (this.record.forest().isThere(ask.id))
      this.violated(`${shown(ask)} was done, and the task is there`)
    for (const id of descendants)
      if (!this.record.ever(since, (forest) => this.#isLostBelow(forest, id, ask.id)))
        this.violated(`${shown(ask)} was said to have taken ${id}, which never was below it`)
    const swap = this.#ownSwap(ask, since)
    if (swap) this.#credited.add(swap)
  }

  refused(ask: Ask, since: number, refusal: Refused): void {
    this.nothingHappened(ask, since)
    const ever = (holds: (forest: Forest) => boolean) => this.record.ever(since, holds)
    const flaw = flawOf(ask, refusal, ever)
    if (flaw === null) return
    this.violated(`${shown(ask)} heard ${refusal.code} ${JSON.stringify(refusal.details)}, ${flaw}`)
  }

  /** Nobody knows whether it was done, or will be. */
  doubtful({ agent, verb, id }: Ask): void {
    this.#doubtful.add(`${agent} ${verb} ${id}`)
  }

  nothingHappened(ask: Ask, since: number): void {
    const swap = this.#ownSwap(ask, since)
    const isEarlier = this.#doubtful.has(`${ask.agent} ${ask.verb} ${ask.id}`)
    // Of what was deleted while it was created or changed, nobody sees that.
    const isGone = !['create', 'delete'].includes(ask.verb) && !this.record.forest().isThere(ask.id)
    if (swap && !isEarlier && !isGone)
      this.violated(`${shown(ask)} was refused, yet done as change ${numberOf(swap)}`)
    if (ask.mark === undefined) return
    this.writes.refused.add(ask.mark)
    const written = this.writes.marks.get(ask.mark)
    if (written && this.record.forest().isThere(written.id))
      this.violated(`${shown(ask)} was refused, yet written`)
  }

  readonly violated = (what: string): void => this.#scene.violated(what)

  /** Also while it is being removed. */
  #isLostBelow(forest: Forest, id: string, above: string): boolean {
    const seen = new Set<string>()
    for (let at = forest.get(id); at?.parent_id && !seen.has(at.id); ) {
      if (at.parent_id === above) return true
      seen.add(at.id)
      at = forest.get(at.parent_id)
    }
    return false
  }

  #created(ask: Ask, { task: { id, parent_id } }: Said): void {
    if (this.writes.marks.get(ask.mark ?? '')?.id !== id)
      this.violated(`${shown(ask)} made ${id}, which is another task`)
    if ((parent_id ?? '') !== ask.id && !this.record.since(0, id).some(({ before }) => before))
      this.violated(`${shown(ask)} made ${id} elsewhere`)
    if (this.writes.takenBack.has(id)) this.violated(`${shown(ask)} made ${id}, and took it back`)
    this.writes.acknowledged.add(`${id} 0`)
  }

  /** A change of the agent's own, which no other call has claimed for itself, says that it is so. */
  #won(ask: Ask, since: number): void {
    const swap = this.#ownSwap(ask, since)
    if (!swap) {
      this.violated(`${shown(ask)} was said to be done, and nobody has`)
      return
    }
    this.#credited.add(swap)
    const name = `${ask.id} ${numberOf(swap)}`
    this.writes.acknowledged.add(name)
    if (this.writes.tooLate.has(name))
      this.violated(`${shown(ask)} was said to be done, though the task had been deleted`)
  }

  #ownSwap(ask: Ask, since: number): Swap | undefined {
    const { verb } = ask
    if (verb === 'create') return undefined
    return this.record.since(since, ask.id).find((swap) => {
      const { before, after } = swap
      if (!before || !after || after.change.by !== ask.agent) return false
      return !this.#credited.has(swap) && changeOf[verb](ask, before, after)
    })
  }

  #wasSo(ask: Ask, since: number): void {
    const isSo = alreadyOf[ask.verb]
    const wasSo =
      isSo !== undefined &&
      this.record.ever(since, (forest) => {
        const task = forest.get(ask.id)
        return task !== null && isSo(ask, task)
      })
    if (!wasSo) this.violated(`${shown(ask)} was said to be so already, and was not`)
  }

  /** What was hidden together before the call is back together after it. */
  #restored(ask: Ask, since: number, { restored = 0 }: Said): void {
    const own = this.record
      .since(since)
      .filter(({ before, after }) => before?.deleted_at && after?.deleted_at === null)
      .filter(({ after }) => after?.change.by === ask.agent)
    for (const swap of own) this.#credited.add(swap)
    for (const swap of own) this.writes.acknowledged.add(`${swap.id} ${numberOf(swap)}`)
    if (restored > own.length)
      this.violated(`${shown(ask)} said that ${restored} are back, and ${own.length} are`)
    const before = this.record.forest(since)
    const now = this.record.forest()
    const at = before.get(ask.id)?.deleted_at ?? null
    if (at === null) return
    const hiddenTogether = (forest: Forest) => this.#family(forest, ask.id, at)
    const still = hiddenTogether(before).filter(
      (id) => now.get(id)?.deleted_at === at && now.isThere(id) && this.#isLinked(now, id, ask.id),
    )
    if (still.length > 0) this.violated(`${shown(ask)} left ${still} hidden`)
  }

  /** What one pass has hidden that hangs together. */
  #family(forest: Forest, id: string, at: string): string[] {
    const family = new Set([id])
    for (const each of family) {
      const task = forest.get(each)
      const near = [...forest.children(each), forest.get(task?.parent_id ?? '')]
      for (const other of near) if (other?.deleted_at === at) family.add(other.id)
    }
    return [...family]
  }

  /** Still of one tree, so that nobody has moved one of them away meanwhile. */
  #isLinked(forest: Forest, a: string, b: string): boolean {
    return rootOf(forest, a) === rootOf(forest, b)
  }
}

const rootOf = (forest: Forest, id: string): string => forest.ancestors(id)?.at(-1)?.id ?? id

const numberOf = ({ after }: Swap): number | undefined => after?.change.n

const shown = ({ verb, agent, id, to, mark }: Ask): string =>
  `${verb} ${[id, to, mark].filter((each) => each !== undefined).join(' ')} by ${agent}`
