import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../sim/random.ts'
import type { RecordedWrite } from './history.ts'
import type { Recorder } from './recorder.ts'

/** The keys that one history is about: few enough that clients meet on each of them. */
export interface Ground {
  readonly prefix: string
  readonly keys: readonly string[]
}

interface ClientOptions {
  readonly name: string
  readonly recorder: Recorder
  readonly random: Random
  /** The most writes in one commit. */
  readonly writesMax: number
}

const weights = { commit: 55, get: 27, gets: 6, scan: 8, list: 4 } as const
const pauseMs = 5
/** How often an expectation is an old one on purpose, beyond those that others have made old. */
const staleShare = 0.15
const removeShare = 0.2
/** How often a client looks at a key of which it knows nothing; else it takes it for absent. */
const lookShare = 0.7
const severalShare = 0.4

export const groundOf = (run: string, round: number, keys: number): Ground => {
  const prefix = `linear/${run}/${round}`
  return { prefix, keys: Array.from({ length: keys }, (_, index) => `${prefix}/k${index}`) }
}

/** One who changes a few keys by what it last knew of them, which others may have changed since. */
export class Client {
  readonly #options: ClientOptions
  /** The revision that this client knows of a key, null for absent. */
  #known = new Map<string, string | null>()
  #before = new Map<string, string | null>()
  #values = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Makes so many calls, unless time is up before. */
  async act(ground: Ground, calls: number, isOver: () => boolean = () => false): Promise<void> {
    this.#known = new Map()
    this.#before = new Map()
    for (let count = 0; count < calls && !isOver(); count++) {
      // Calls of one turn of the event loop may share a read; each is to begin in a turn of its own.
      await new Promise((resolve) => setImmediate(resolve))
      if (!(await this.#call(ground))) await sleep(pauseMs)
    }
  }

  /** Whether the store could tell what became of it. */
  #call(ground: Ground): Promise<boolean> {
    const { random } = this.#options
    switch (random.weighted(weights)) {
      case 'commit':
        return this.#commit(ground)
      case 'get':
        return this.#get(random.pick(ground.keys))
      case 'gets':
        return this.#getAll(ground.keys)
      case 'scan':
        return this.#scan(ground)
      case 'list':
        return this.#options.recorder
          .list(ground.prefix, ground.keys, false)
          .then((seen) => seen !== undefined)
    }
  }

  async #get(key: string): Promise<boolean> {
    const seen = await this.#options.recorder.get(key)
    if (seen !== undefined) this.#learn(key, seen?.revision ?? null)
    return seen !== undefined
  }

  async #getAll(keys: readonly string[]): Promise<boolean> {
    const all = await this.#options.recorder.getAll(keys)
    for (const [index, seen] of all.entries())
      if (seen !== undefined) this.#learn(keys[index]!, seen?.revision ?? null)
    return !all.includes(undefined)
  }

  async #scan({ prefix, keys }: Ground): Promise<boolean> {
    const seen = await this.#options.recorder.list(prefix, keys, true)
    if (seen === undefined) return false
    const shown = new Map(seen.map(({ key, revision }) => [key, revision]))
    for (const key of keys) this.#learn(key, shown.get(key) ?? null)
    return true
  }

  async #commit({ keys }: Ground): Promise<boolean> {
    const { random, recorder, writesMax } = this.#options
    const isSeveral = writesMax > 1 && random.chance(severalShare)
    const count = isSeveral ? random.int(2, Math.min(writesMax, keys.length)) : 1
    const chosen = new Set<string>()
    while (chosen.size < count) chosen.add(random.pick(keys))
    for (const key of chosen)
      if (!this.#known.has(key) && random.chance(lookShare)) await this.#get(key)
    const writes = [...chosen].map((key) => this.#write(key))
    const revisions = await recorder.commit(writes)
    for (const [index, { key }] of writes.entries())
      if (revisions) this.#learn(key, revisions[index] ?? null)
      else this.#known.delete(key)
    return revisions !== undefined
  }

  #write(key: string): RecordedWrite {
    const { random, name } = this.#options
    const isStale = random.chance(staleShare)
    const known = (isStale ? this.#before : this.#known).get(key) ?? null
    if (known !== null && random.chance(removeShare)) return { key, expected: known, value: null }
    return { key, expected: known, value: `${name}.${++this.#values}` }
  }

  #learn(key: string, revision: string | null): void {
    const known = this.#known.get(key)
    if (known !== undefined && known !== revision) this.#before.set(key, known)
    this.#known.set(key, revision)
  }
}
