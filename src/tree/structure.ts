import { encodeText, jsonCodec } from '../collection/index.ts'
import {
  compete,
  create,
  type Entry,
  lost,
  type Store,
  StoreError,
  update,
} from '../store/internal.ts'
import { inDoubt } from './in-doubt.ts'
import { prefixes, structureKey } from './keys.ts'

/** A change of the tree's shape that somebody means to make. */
export interface Intent {
  readonly id: string
  readonly kind: 'move' | 'delete'
  readonly task: string
  /** The number of the task's last change when this was decided. It is made as the next one, or not at all. */
  readonly change: number
  /** Where it moves. */
  readonly to: string | null
  readonly at: string
  readonly by: string
  /** Of a deletion by retention: only if it and all below it have been hidden since before this time. */
  readonly hiddenBefore?: string | undefined
}

interface Register {
  /** Grows with every change of the shape. */
  readonly n: number
  /** The one that is under way. */
  readonly intent: Intent | null
  /** Which indexes are known to be whole; left out by versions that know fewer of them. */
  readonly layout?: number | undefined
}

/** Since 1 there is an index of what is unfinished. */
const layoutNow = 1

/**
 * Makes the change, or swaps the task for itself where it can't be made. Either way the task is afterwards no
 * longer in the state that the intent names. It may be called several times at once, and long afterwards.
 */
type Finish = (intent: Intent) => Promise<void>

const codec = jsonCodec((parsed) => parsed as Register)

/**
 * Lets moves and deletions happen one at a time, whoever makes them, so that what one has looked at (the chain
 * of parents, what is active below a task) is still so when it happens. No store locks: one document names the
 * change that is under way.
 *
 * - Who wants to change the shape reads the task, writes the intent into the empty register, makes the change
 *   as a swap of that state of the task, and empties the register.
 * - Whoever finds an intent makes that change first. So nobody waits for a process that is slow or dead.
 * - The register is emptied only when the task is no longer in the state that the intent names. So one who
 *   was slow and comes back finds that the swap fails: nobody changes the shape out of turn.
 *
 * Who changes something that depends on the shape reads the number before, and again afterwards: where it is
 * the same and nothing is under way, the shape was the same all along; else they look again.
 */
export class Structure {
  readonly #store: Store
  readonly #finish: Finish

  constructor(store: Store, finish: Finish) {
    this.#store = store
    this.#finish = finish
  }

  /** The number of the shape, once nothing is under way. */
  async settled(): Promise<number> {
    return (await this.#idle()).n
  }

  /** Lays the register down where there is none: then the store holds something, and is found again. */
  async prepare(): Promise<void> {
    const { entry, register } = await this.#read()
    if (entry !== null) return
    // Of a store without tasks every index is whole, and stays so.
    let isEmpty = true
    for await (const _ of this.#store.list(prefixes.tasks, { limit: 1 })) isEmpty = false
    await this.#write(null, isEmpty ? { ...register, layout: layoutNow } : register)
  }

  /** Whether every index of this version is known to be whole. */
  async isWhole(): Promise<boolean> {
    const { register } = await this.#read()
    return register.layout === layoutNow
  }

  /** Says so, once they are. */
  async becomeWhole(): Promise<void> {
    await this.#swap((register) => ({ ...register, layout: layoutNow }))
  }

  /** Changes the number alone: whoever has read it before looks again. */
  async touch(): Promise<void> {
    await this.#swap((register) => ({ ...register, n: register.n + 1 }))
  }

  /** Whether the shape has been the same since it had this number. */
  async isStill(n: number): Promise<boolean> {
    const { register } = await this.#read()
    return register.n === n && register.intent === null
  }

  /** Sees an intent through: afterwards it has happened, or the task has changed so that it can't. */
  async run(intent: Intent): Promise<void> {
    await this.#swap((register) => ({ ...register, intent }))
    await inDoubt(() => this.#idle())
  }

  /** Changes the register once nothing is under way. */
  #swap(next: (register: Register) => Register): Promise<void> {
    let isDoubtful = false
    const swap = () =>
      compete('the shape of the tree', async () => {
        const { entry, ...register } = await this.#idle()
        const outcome = await this.#write(entry, next(register))
        isDoubtful ||= outcome === 'unknown'
        return outcome === 'written' ? undefined : lost
      })
    // If the intent was written after all, another process may have completed it.
    return inDoubt(swap, () => isDoubtful)
  }

  /** The register without an intent, after finishing those that were there. */
  #idle(): Promise<Register & { entry: Entry | null }> {
    return compete('the shape of the tree', async () => {
      const { entry, register } = await this.#read()
      if (register.intent === null) return { ...register, entry }
      await this.#finish(register.intent)
      await this.#write(entry, { ...register, n: register.n + 1, intent: null })
      return lost
    })
  }

  async #read(): Promise<{ entry: Entry | null; register: Register }> {
    const entry = await this.#store.get(structureKey)
    return { entry, register: (entry && readable(entry)) ?? { n: 0, intent: null } }
  }

  async #write(
    entry: Entry | null,
    register: Register,
  ): Promise<'written' | 'overtaken' | 'unknown'> {
    const bytes = encodeText(JSON.stringify(register))
    const write = entry ? update(entry, bytes) : create(structureKey, bytes)
    try {
      return (await this.#store.commit([write])).ok ? 'written' : 'overtaken'
    } catch (error) {
      // What was written all the same is found, finished, and then changes nothing any more.
      if (error instanceof StoreError && error.code === 'unknown_outcome') return 'unknown'
      throw error
    }
  }
}

/** What somebody spoiled must not hold up everybody: it is written anew by the next who changes the shape. */
function readable({ value }: Entry): Register | null {
  try {
    const register = codec.decode(value, '')
    return Number.isSafeInteger(register.n) && register.intent !== undefined ? register : null
  } catch {
    return null
  }
}
