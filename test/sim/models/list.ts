import { TaskList } from '../../../src/list/index.ts'
// Loaded beforehand: what is loaded when it is needed takes real time.
import '../../../src/list/new-ids.ts'
import { create, type Store, type Write } from '../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { heard } from './heard.ts'
import { type Asked, ListOracle } from './list-oracle.ts'
import { nextSecond } from './together.ts'

/** Programs that share a list: they add, edit, look and delete, and rebuild the index under each other's hands. */
export const list: Model = {
  name: 'list',
  clientsMax: 6,
  stepsMax: 36,
  steps: {
    add: 16,
    twin: 6,
    edit: 22,
    tag: 12,
    delete: 12,
    query: 14,
    resolve: 5,
    tags: 2,
    rebuild: 4,
    hold: 2,
  },
  open: (scene) => new ListPlay(scene),
}

const texts = ['milk', 'bread']
const tagNames = ['a', 'b', 'c']
/** A tag of so many tasks that its list is about to be split, or has just been. */
const crowdTag = 'crowd'
const crowdShare = 0.04
/** In so many runs all fight for the newest task and one tag. */
const narrowShare = 0.4
/** Ids follow from times: these are the same wherever the run stands among others. */
const beganMs = Date.UTC(2026, 0, 1)

class ListPlay implements Play {
  readonly given: readonly Write[]
  readonly #scene: Scene
  readonly #oracle: ListOracle
  readonly #known: string[] = []
  readonly #twins: string[] = []
  readonly #tags: readonly string[]
  readonly #isNarrow: boolean
  #marks = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.#oracle = new ListOracle(scene)
    const isCrowded = scene.random.chance(crowdShare)
    this.#isNarrow = !isCrowded && scene.random.chance(narrowShare)
    const tags = this.#isNarrow ? tagNames.slice(0, 1) : tagNames
    this.#tags = isCrowded ? [...tags, crowdTag, crowdTag, crowdTag] : tags
    this.given = isCrowded ? crowd(scene.random, this.#known) : []
  }

  applied: Play['applied'] = (writes) => this.#oracle.applied(writes)

  open(process: Process, store: Store, index: number): Client {
    return new ListClient({
      list: this.#opened(process, store),
      process,
      scene: this.#scene,
      oracle: this.#oracle,
      known: this.#known,
      twins: this.#twins,
      index,
      tags: this.#tags,
      isNarrow: this.#isNarrow,
      newMark: () => `mark-${++this.#marks}`,
    })
  }

  settled: Play['settled'] = (observer) =>
    this.#oracle.settled(observer, this.#opened(observer.process, observer.store))

  #opened(process: Process, store: Store): TaskList {
    const { epochMs } = this.#scene.world
    return new TaskList(store, { now: () => beganMs + process.wallMs() - epochMs })
  }
}

/** Tasks that are there already, under one list that is nearly full, or under split ones; ids may crowd as well. */
function crowd(random: Random, known: string[]): Write[] {
  const count = random.int(495, 501)
  const isSkewed = random.chance(0.5)
  const digits = () => Array.from({ length: 16 }, () => random.int(0, 15).toString(16)).join('')
  const ids = Array.from({ length: count }, (_, nth) =>
    `${isSkewed && nth > 4 ? 'a' : ''}${digits()}`.padEnd(128, '0'),
  )
  known.push(...ids.slice(0, 8))
  const tasks = ids.map((id, nth) => {
    const created = new Date(beganMs - 1000 * (count - nth)).toISOString()
    const task = { id, text: `old ${nth}`, done: false, tags: [crowdTag], created }
    return create(`utask_tasks/${id}`, new TextEncoder().encode(JSON.stringify(task)))
  })
  const lists = random.chance(0.3) || count > 500 ? split(ids) : [['', ids] as const]
  return [
    ...tasks,
    ...lists.map(([below, part]) =>
      create(`utask_tags/${crowdTag}${below}`, new TextEncoder().encode(part.join('\n'))),
    ),
  ]
}

const split = (ids: readonly string[]): (readonly [string, string[]])[] =>
  [...new Set(ids.map((id) => id[0]))].map(
    (digit) => [`/${digit}`, ids.filter((id) => id[0] === digit)] as const,
  )

interface Tools {
  readonly list: TaskList
  readonly process: Process
  readonly scene: Scene
  readonly oracle: ListOracle
  /** Ids that some client has heard of, to do something with. */
  readonly known: string[]
  /** The same of tasks that others have added at the same time with the same words. */
  readonly twins: string[]
  readonly index: number
  readonly tags: readonly string[]
  readonly isNarrow: boolean
  readonly newMark: () => string
}

class ListClient implements Client {
  readonly #tools: Tools

  constructor(tools: Tools) {
    this.#tools = tools
  }

  async close(): Promise<void> {}

  async perform(what: string, random: Random): Promise<void> {
    const { process, scene } = this.#tools
    scene.note(process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  async add(random: Random): Promise<void> {
    const { list, oracle, known, newMark, isNarrow, process } = this.#tools
    if (isNarrow && known.length > 0 && random.chance(0.5)) return this.tag(random)
    if (random.chance(0.2)) await nextSecond(process)
    const text = newMark()
    await heard(this.#tools, list.add(text, this.#someTags(random)), {
      done: (task) => {
        known.push(task.id)
        oracle.adding(task)
      },
      nothingHappened: () => oracle.notWritten(text),
    })
  }

  /**
   * Two that do so at the same time, with the same words, draw the same id first. They have tags of their own, and are not
   * deleted: by the formula of ids a twin can't tell itself from another, nor from one that was deleted a moment ago.
   */
  async twin(random: Random): Promise<void> {
    const { list, process, oracle, twins, tags, index } = this.#tools
    await nextSecond(process)
    const adding = list.add(random.pick(texts), [`twin-${index}`, random.pick(tags)])
    await heard(this.#tools, adding, {
      done: (task) => {
        twins.push(task.id)
        oracle.adding(task)
      },
    })
  }

  async edit(random: Random): Promise<void> {
    const { newMark, isNarrow } = this.#tools
    if (isNarrow && random.chance(0.6)) return this.tag(random)
    const text = newMark()
    const change = random.weighted({ text: 4, done: 3, undone: 2, both: 1 })
    if (change === 'done' || change === 'undone')
      return this.#change(random, { done: change === 'done' })
    return this.#change(random, { text, ...(change === 'both' && { done: random.chance(0.5) }) })
  }

  async tag(random: Random): Promise<void> {
    const { isNarrow, process, tags, newMark } = this.#tools
    if (isNarrow) {
      await nextSecond(process)
      // With a text, each is a change whatever the other has done: who loses must begin again.
      const text = newMark()
      return this.#change(random, { text, tags: { [random.pick(['add', 'remove'])]: tags } })
    }
    if (random.chance(0.4)) return this.#change(random, { tags: this.#someTags(random) })
    const [add, remove] = [this.#someTags(random), this.#someTags(random)]
    return this.#change(random, { tags: { add, remove } })
  }

  async delete(random: Random): Promise<void> {
    const { list, oracle } = this.#tools
    const given = this.#anyOf(random)
    if (given === null) return
    const since = oracle.tick
    oracle.deleting(given)
    await heard(this.#tools, list.delete(given), {
      done: (id) => oracle.deleted(id, since),
      refused: (refusal) => oracle.refused(given, refusal, since),
    })
  }

  async query(random: Random): Promise<void> {
    const { list, oracle } = this.#tools
    const asked: Asked = {
      ...(random.chance(0.5) && { any: this.#someTags(random) }),
      ...(random.chance(0.4) && { all: this.#someTags(random) }),
      ...(random.chance(0.3) && { done: random.chance(0.5) }),
      ...(random.chance(0.2) && { limit: random.int(1, 4) }),
    }
    const since = oracle.tick
    await heard(this.#tools, list.query(asked), {
      done: (tasks) => oracle.queried(asked, tasks, since),
    })
  }

  async resolve(random: Random): Promise<void> {
    const { list, oracle, known } = this.#tools
    if (known.length === 0) return
    const prefix = random.pick(known).slice(0, random.pick([1, 1, 2, 8]))
    const since = oracle.tick
    await heard(this.#tools, list.resolve(prefix), {
      done: (id) => oracle.resolved(prefix, id, since),
      refused: (refusal) => oracle.refused(prefix, refusal, since),
    })
  }

  async tags(): Promise<void> {
    await heard(this.#tools, this.#tools.list.tags())
  }

  async rebuild(): Promise<void> {
    await heard(this.#tools, this.#tools.list.rebuildIndex())
  }

  /** Does nothing for a while. */
  async hold(random: Random): Promise<void> {
    await this.#sleep(random.logarithmic(10, 20_000))
  }

  async #change(random: Random, edit: Parameters<TaskList['edit']>[1]): Promise<void> {
    const { list, oracle } = this.#tools
    const id = this.#anyId(random)
    if (id === null) return
    const since = oracle.tick
    await heard(this.#tools, list.edit(id, edit), {
      done: (outcome) => oracle.edited(outcome, since),
      refused: (refusal) => oracle.refused(id, refusal, since),
      nothingHappened: () => oracle.notWritten(edit.text ?? ''),
    })
  }

  #anyId(random: Random): string | null {
    const { twins } = this.#tools
    return random.chance(0.2) && twins.length > 0 ? random.pick(twins) : this.#anyOf(random)
  }

  /** What it has heard of, or what a look would show now: mostly one of the newest, as those are in use. */
  #anyOf(random: Random): string | null {
    const { known, oracle, isNarrow } = this.#tools
    const ids = random.chance(0.5) ? known : oracle.marked()
    const newest = isNarrow ? ids.slice(-1) : random.chance(0.7) ? ids.slice(-3) : ids
    return newest.length === 0 ? null : random.pick(newest)
  }

  #someTags(random: Random): string[] {
    const { tags } = this.#tools
    return Array.from({ length: random.int(0, 2) }, () => random.pick(tags))
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#tools.process.after(ms, resolve))
  }
}
