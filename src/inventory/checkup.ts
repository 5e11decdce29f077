import { Tokens } from '../access/index.ts'
import { CorruptDocumentError, type Holdings } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { isIn, models } from './models.ts'

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export interface CheckupOptions {
  /** Whether to compare indexes and documents however many there are. */
  readonly isFull?: boolean
  /** Whether to mend what is not as it should be. */
  readonly isRepair?: boolean
}

/** More documents than this are compared only when that is asked for: it reads all of them. */
export const comparedMax = 20_000
/** More are not counted. */
const countedMax = 1_000_000
/** Leases are kept by the store's clock, but people read times by their own. */
const offsetMsMax = 10_000

/**
 * Looks at a store, one thing after another. Changes nothing, unless it is asked to mend. Drift is what a dry run of
 * `repair` counts, so what is reported and what gets mended can't differ.
 */
export async function* checkup(store: Store, options: CheckupOptions): AsyncGenerator<Check> {
  yield durability(store)
  yield await clock(store)
  for (const holdings of models) {
    const count = await documentCount(store, holdings)
    const shown = count > countedMax ? `more than ${countedMax}` : count
    yield {
      name: `${holdings.model}.documents`,
      ok: true,
      detail: `${holdings.noun}: ${shown}`,
    }
    yield await drift(store, holdings, count, options)
  }
  yield await access(store)
}

function durability({ limits }: Store): Check {
  const details = {
    durable: 'durable: what is acknowledged survives a crash of the machine',
    unverified: 'unverified: the server does not tell whether it syncs before it answers',
    none: 'none: it is gone with the process',
  }
  const { durability: kind } = limits
  return { name: 'durability', ok: kind !== 'none', detail: details[kind] }
}

async function clock(store: Store): Promise<Check> {
  const before = Date.now()
  const there = await store.now()
  const after = Date.now()
  // To ask takes its time: within that nobody can tell one clock from the other.
  const isSame = there >= before && there <= after
  const offsetMs = isSame ? 0 : Math.round(there - (before + after) / 2)
  const size = Math.abs(offsetMs)
  const direction = offsetMs < 0 ? 'behind' : 'ahead of'
  const detail =
    size === 0
      ? "the store's clock is this machine's"
      : `the store's clock is ${size} ms ${direction} this machine's`
  return { name: 'clock', ok: size <= offsetMsMax, detail }
}

/** Who servers of the store let in. */
async function access(store: Store): Promise<Check> {
  const name = 'access'
  try {
    const { tokens, closed } = await new Tokens(store).list()
    const expired = tokens.filter((token) => token.expired).length
    const counts = `${tokens.length} named ${tokens.length === 1 ? 'token' : 'tokens'}${expired === 0 ? '' : `, ${expired} expired`}`
    const who = closed ? 'servers ask for a token' : 'servers without a token let everybody in'
    return { name, ok: true, detail: `${counts}; ${who}` }
  } catch (error) {
    if (!(error instanceof CorruptDocumentError)) throw error
    return { name, ok: false, detail: error.message }
  }
}

async function documentCount(store: Store, { spaces }: Holdings): Promise<number> {
  const [main] = spaces
  let count = 0
  if (main)
    for await (const { key } of store.list(main.prefix)) {
      if (isIn(main, key)) count++
      if (count > countedMax) break
    }
  return count
}

async function drift(
  store: Store,
  { model, repair }: Holdings,
  count: number,
  { isFull = false, isRepair = false }: CheckupOptions,
): Promise<Check> {
  const name = `${model}.index`
  if (count > comparedMax && !isFull && !isRepair)
    return {
      name,
      ok: true,
      detail: `not compared, for there are more than ${comparedMax} documents; --full does`,
    }
  const report = await repair(store, { dryRun: !isRepair })
  const [first, ...others] = report.left
  if (first !== undefined)
    return {
      name,
      ok: false,
      detail: others.length === 0 ? first : `${first} And ${others.length} more.`,
    }
  const entries = `${report.drift} ${report.drift === 1 ? 'entry' : 'entries'}`
  if (report.drift === 0) return { name, ok: true, detail: 'as the documents say' }
  return isRepair
    ? { name, ok: true, detail: `${entries} mended` }
    : {
        name,
        ok: false,
        detail: `${entries} not as the documents say; "holdfast doctor --repair" mends them`,
      }
}
