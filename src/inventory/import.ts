import { type Holdings, pooled } from '../collection/index.ts'
import { create, type Store, StoreError } from '../store/internal.ts'
import { isWithout } from './emptiness.ts'
import { NotEmptyError } from './error.ts'
import { models } from './models.ts'
import { type Contents, type Delivery, deliveriesIn } from './read.ts'

export interface ImportReport {
  /** How many documents the export has, and how many of them were written. */
  readonly documents: number
  readonly written: number
  /** Those that were there already, exactly so. */
  readonly same: number
  /** Those that were there otherwise, are part of such, or whose idempotency key is another's; and the keys of some. */
  readonly kept: number
  readonly keptKeys: readonly string[]
  /** What the models can't mend, in a sentence each. */
  readonly left: readonly string[]
}

/** How much is on its way at a time. */
const stepItemsMax = 500
const stepBytesMax = 8_000_000
const keptNamedMax = 20

/**
 * Puts the documents of an export into a store, each whole or not at all, and then has the models make their indexes:
 * last, so that no worker finds a task before its input is there. Give contents that were checked to the end before.
 * Without `merge` a store that has documents of one of the models in it is refused; with it what is there stays as it is.
 */
export async function imported(
  store: Store,
  contents: Contents,
  chunks: AsyncIterable<Uint8Array>,
  { merge }: { merge: boolean },
): Promise<ImportReport> {
  const meant = models.filter(({ model }) => contents.models[model] !== undefined)
  if (!merge) for (const holdings of meant) await checkEmpty(store, holdings)
  const writing = new Writing(store, merge)
  try {
    for await (const step of inSteps(deliveriesIn(chunks))) await writing.put(step)
  } catch (error) {
    throw interrupted(error, writing.written, contents.documents)
  }
  const left: string[] = []
  for (const { repair } of meant) left.push(...(await repair(store)).left)
  const { written, same, kept, keptKeys } = writing
  return { documents: contents.documents, written, same, kept, keptKeys, left }
}

/** Throws {@link NotEmptyError}. */
async function checkEmpty(store: Store, holdings: Holdings): Promise<void> {
  if (await isWithout(store, holdings)) return
  throw new NotEmptyError(
    `The store has ${holdings.noun} of ${holdings.model} already.`,
    'Import into an empty store, or give --merge: what is there stays as it is.',
  )
}

class Writing {
  readonly #store: Store
  readonly #isMerge: boolean
  /** What is there otherwise than in the export: its parts are not mixed with those that are there. */
  readonly #others = new Set<string>()
  readonly keptKeys: string[] = []
  written = 0
  same = 0
  kept = 0

  constructor(store: Store, isMerge: boolean) {
    this.#store = store
    this.#isMerge = isMerge
  }

  /** Documents before their parts, so that it is known by then whether those are wanted. */
  async put(step: readonly Delivery[]): Promise<void> {
    const isPart = ({ place }: Delivery) => place.space.partOf !== undefined
    await pooled(
      step.filter((each) => !isPart(each)),
      (each) => this.#putOne(each),
    )
    await pooled(step.filter(isPart), (each) => this.#putOne(each))
  }

  async #putOne({ key, value, place: { space } }: Delivery): Promise<void> {
    const whole = space.partOf?.(key.slice(space.prefix.length + 1))
    if (whole !== undefined && this.#others.has(whole)) return this.#keep(key)
    if (this.#isMerge && (await space.isTaken?.(this.#store, { key, value })))
      return this.#keep(key)
    if (await this.#create(key, value, space.once === true)) {
      this.written++
      return
    }
    const there = await this.#store.get(key)
    if (there && Buffer.compare(there.value, value) === 0) this.same++
    else if (this.#isMerge) this.#keep(key)
    else
      throw new NotEmptyError(
        `Somebody else writes to the store: ${key} is there meanwhile.`,
        'Import when nobody writes, or give --merge: what is there stays as it is.',
      )
  }

  #keep(key: string): void {
    this.#others.add(key)
    this.kept++
    if (this.keptKeys.length < keptNamedMax) this.keptKeys.push(key)
  }

  /** False where the key is there; also where the answer to our own write was lost, which then is the same. */
  async #create(key: string, value: Uint8Array, once: boolean): Promise<boolean> {
    try {
      return (await this.#store.commit([create(key, value, { once })])).ok
    } catch (error) {
      const isUnknown = error instanceof StoreError && error.code === 'unknown_outcome'
      if (isUnknown && (await this.#store.get(key)) !== null) return false
      throw error
    }
  }
}

/** Says how far it got: what was written stays, and the same import with --merge does the rest. */
function interrupted(error: unknown, written: number, documents: number): unknown {
  if (!(error instanceof StoreError)) return error
  const what = error.message.slice(0, -error.next.length).trimEnd()
  return new StoreError(
    error.reason,
    `${what} ${written} of ${documents} documents were written.`,
    `${error.next} Then import again with --merge, which does the rest.`,
    error,
  )
}

async function* inSteps(deliveries: AsyncIterable<Delivery>): AsyncGenerator<Delivery[]> {
  let step: Delivery[] = []
  let bytes = 0
  for await (const delivery of deliveries) {
    step.push(delivery)
    bytes += delivery.value.byteLength
    if (step.length < stepItemsMax && bytes < stepBytesMax) continue
    yield step
    step = []
    bytes = 0
  }
  if (step.length > 0) yield step
}
