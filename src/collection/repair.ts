import {
  commitWritesMax,
  compareKeys,
  type Entry,
  type ListOptions,
  namespaceOf,
  type Store,
  UnreadableValueError,
} from '../store/internal.ts'
import { type Definition, idOf, keyOf } from './definition.ts'
import { CorruptDocumentError, documentOf } from './document.ts'
import type { DocumentMark, Index, Mark } from './mark.ts'
import type { Mender } from './mender.ts'
import { orphanGraceMs } from './mender.ts'
import { pooled } from './pooled.ts'
import { scanned } from './scanned.ts'

export interface RepairOptions {
  /** Only count what is not as it should be. */
  readonly dryRun?: boolean
  /**
   * How long a mark without a document must have stood on a store without transactions, or with small ones, where it may
   * belong to a document that is just being created. Less than the default is for when nobody else writes.
   */
  readonly graceMs?: number
}

/** What a repair found, and put right unless it was a dry run. */
export interface RepairReport {
  /** How many documents there are that can be read. */
  readonly documents: number
  /** The ids of those that can't. What the indexes say of them is left alone. */
  readonly corrupt: readonly string[]
  /** Marks that documents imply and that were not there. */
  readonly missing: number
  /** Marks that no document implies. */
  readonly stale: number
  /** Keys that were merged into others. */
  readonly merged: number
}

/** How many documents or marks one step looks at, and how many bytes: what is held in memory at a time. */
const stepItemsMax = 5_000
const stepBytesMax = 16_000_000

interface Work<T> {
  readonly store: Store
  readonly definition: Definition<T>
  readonly mender: Mender<T>
  readonly isDryRun: boolean
}

/**
 * Compares what stands in the indexes with what the documents imply, in steps of bounded size and from both
 * sides, and mends the difference. Others may go on reading and writing meanwhile.
 */
export async function repair<T>(
  parts: { store: Store; definition: Definition<T>; mender: Mender<T> },
  { dryRun: isDryRun = false, graceMs = orphanGraceMs }: RepairOptions = {},
): Promise<RepairReport> {
  const work: Work<T> = { ...parts, isDryRun }
  const { store, definition, mender } = work
  const { documents, corrupt, missing } = await putMissing(work)
  const orphans: DocumentMark[] = []
  let stale = 0
  for (const index of definition.indexes) stale += await sweepStale(work, index, orphans)
  if (isDryRun) stale += orphans.length
  else stale += await mender.sweepOrphans(orphans, isAtomic(store, definition) ? 0 : graceMs)
  let merged = 0
  for (const index of definition.indexes) merged += (await index.tidy?.(store, isDryRun)) ?? 0
  return { documents, corrupt, missing, stale, merged }
}

/** Where a repair in steps has got to; null where it begins anew. */
export type RepairPlace = { readonly part: number; readonly after: string } | null

export interface RepairStepOptions<T> {
  readonly place: RepairPlace
  /** How many documents or marks to look at. */
  readonly limit: number
  /** Whether a mark that a document does not imply has stood for long enough; the value is null where there is none. */
  isDue(mark: Mark, value: T | null): boolean
}

export interface RepairStepReport {
  readonly next: RepairPlace
  readonly corrupt: readonly string[]
  readonly missing: number
  readonly stale: number
}

/**
 * One bounded step of a repair that never ends: a page of the documents, then of what stands in each index, and so on.
 * For stores where looking at everything at once would take too long.
 */
export async function repairStep<T>(
  parts: { store: Store; definition: Definition<T>; mender: Mender<T> },
  { place, limit, isDue }: RepairStepOptions<T>,
): Promise<RepairStepReport> {
  const work: Work<T> = { ...parts, isDryRun: false }
  const { part, after } = place ?? { part: 0, after: undefined }
  const index = parts.definition.indexes[part - 1]
  const following = part < parts.definition.indexes.length ? { part: part + 1, after: '' } : null
  const bounds = { after: after === '' ? undefined : after, limit }
  const nextOf = (last: string | undefined, count: number): RepairPlace =>
    count < limit || last === undefined ? following : { part, after: last }
  if (index === undefined) {
    const entries: Entry[] = []
    const unreadable: string[] = []
    for await (const entry of documentsOf(work, bounds, unreadable)) entries.push(entry)
    const last = [...entries.slice(-1).map(({ key }) => key), ...unreadable]
      .sort(compareKeys)
      .at(-1)
    const next = nextOf(last, entries.length + unreadable.length)
    const { corrupt, missing } = await putMissingOf(work, entries)
    return {
      next,
      corrupt: [...corrupt, ...idsOf(parts.definition, unreadable)],
      missing,
      stale: 0,
    }
  }
  const standing: DocumentMark[] = []
  const keys: string[] = []
  const onKey = (key: string) => keys.push(key)
  for await (const mark of index.standing(parts.store, { ...bounds, onKey })) standing.push(mark)
  const { unimplied, isThere, documentIn } = await unimpliedOf(work, standing)
  const due = unimplied.filter(({ id, mark }) => isDue(mark, documentIn(id)))
  const swept = await pooled(due, ({ id, mark }) =>
    isThere(id) || mark.revision === undefined
      ? parts.mender.sweep(id, mark)
      : parts.mender.sweepSeen(id, { key: mark.name, revision: mark.revision }),
  )
  return {
    next: nextOf(keys.at(-1), keys.length),
    corrupt: [],
    missing: 0,
    stale: swept.filter(Boolean).length,
  }
}

async function putMissing<T>(work: Work<T>) {
  const corrupt: string[] = []
  let [documents, missing] = [0, 0]
  const bytesIn = ({ value }: Entry) => value.byteLength
  const unreadable: string[] = []
  for await (const entries of inSteps(documentsOf(work, {}, unreadable), bytesIn)) {
    const step = await putMissingOf(work, entries)
    documents += step.documents
    missing += step.missing
    corrupt.push(...step.corrupt)
  }
  return { documents, corrupt: [...corrupt, ...idsOf(work.definition, unreadable)], missing }
}

/** What lies where documents do; the keys of what the store can't read are put aside. */
const documentsOf = <T>(
  { store, definition }: Work<T>,
  bounds: ListOptions,
  unreadable: string[],
): AsyncGenerator<Entry> => {
  const onUnreadable = ({ key }: UnreadableValueError) => unreadable.push(key)
  return scanned(store, definition.prefix, { ...bounds, onUnreadable })
}

const idsOf = <T>(definition: Definition<T>, keys: readonly string[]): string[] =>
  keys.map((key) => idOf(definition, key)).filter((id) => id !== null)

async function putMissingOf<T>(work: Work<T>, entries: readonly Entry[]) {
  const { definition } = work
  const corrupt: string[] = []
  let [documents, missing] = [0, 0]
  const implied = definition.indexes.map((): DocumentMark[] => [])
  for (const entry of entries) {
    const id = idOf(definition, entry.key)
    const value = id === null ? null : readable(definition, id, entry)
    if (id === null) continue
    if (value === null) corrupt.push(id)
    else {
      documents++
      definition.indexes.forEach((index, at) => {
        for (const mark of index.marks(id, value)) implied[at]?.push({ id, mark })
      })
    }
  }
  for (const [at, index] of definition.indexes.entries())
    missing += await putThese(work, index, implied[at] ?? [])
  return { documents, corrupt, missing }
}

async function putThese<T>(
  { store, mender, isDryRun, definition }: Work<T>,
  index: Index<T>,
  implied: readonly DocumentMark[],
): Promise<number> {
  const missing = await index.missing(store, implied)
  if (isDryRun || missing.length === 0) return missing.length
  if (!index.putAll) {
    const mended = await pooled(missing, ({ id, mark }) => mender.mend(id, mark))
    return mended.filter(Boolean).length
  }
  await index.putAll(
    store,
    missing.map(({ mark }) => mark),
  )
  // Documents may have changed since they were read; then their marks go again.
  await pooled(missing, async ({ id, mark }) => {
    const entry = await store.get(keyOf(definition, id))
    if (!mender.implies(id, entry, mark)) await mender.sweep(id, mark)
  })
  return missing.length
}

/** Takes away what documents do not imply; marks without a document are added to the orphans. */
async function sweepStale<T>(
  work: Work<T>,
  index: Index<T>,
  orphans: DocumentMark[],
): Promise<number> {
  const { store, mender, isDryRun } = work
  let stale = 0
  for await (const standing of inSteps(index.standing(store), () => 0)) {
    const { unimplied, isThere } = await unimpliedOf(work, standing)
    orphans.push(...unimplied.filter(({ id }) => !isThere(id)))
    const swept = await pooled(
      unimplied.filter(({ id }) => isThere(id)),
      async ({ id, mark }) => isDryRun || mender.sweep(id, mark),
    )
    stale += swept.filter(Boolean).length
  }
  return stale
}

/** Which of these marks no document implies, and the documents that were looked at. */
async function unimpliedOf<T>(
  { store, definition, mender }: Work<T>,
  standing: readonly DocumentMark[],
) {
  const ids = [...new Set(standing.map(({ id }) => id))]
  const unreadable = new Set<string>()
  const entries = await pooled(ids, (id) =>
    store.get(keyOf(definition, id)).catch((error: unknown) => {
      if (!(error instanceof UnreadableValueError)) throw error
      unreadable.add(id)
      return null
    }),
  )
  const byId = new Map(ids.map((id, at) => [id, entries[at] ?? null]))
  const entryOf = (id: string): Entry | null => byId.get(id) ?? null
  const documentIn = (id: string): T | null => {
    const entry = entryOf(id)
    return entry && readable(definition, id, entry)
  }
  return {
    // Nobody knows what a document says that can't be read, so it keeps all it has.
    unimplied: standing.filter(
      ({ id, mark }) => !unreadable.has(id) && !mender.implies(id, entryOf(id), mark),
    ),
    isThere: (id: string) => entryOf(id) !== null,
    documentIn,
  }
}

function readable<T>(definition: Definition<T>, id: string, entry: Entry): T | null {
  try {
    return documentOf(definition, id, entry).value
  } catch (error) {
    if (error instanceof CorruptDocumentError) return null
    throw error
  }
}

/**
 * Whether a document is always created together with its marks. Where a commit holds few writes that depends on how
 * many marks the document has, which nobody knows before it is there.
 */
function isAtomic<T>({ limits }: Store, { prefix, indexes }: Definition<T>): boolean {
  if (limits.commitWritesMax < commitWritesMax) return false
  const namespaces = [prefix, ...indexes.map((index) => index.prefix)].map(namespaceOf)
  return limits.commitSpan === 'store' || new Set(namespaces).size === 1
}

async function* inSteps<T>(
  items: AsyncIterable<T>,
  bytesIn: (item: T) => number,
): AsyncGenerator<readonly T[]> {
  let step: T[] = []
  let bytes = 0
  for await (const item of items) {
    step.push(item)
    bytes += bytesIn(item)
    if (step.length < stepItemsMax && bytes < stepBytesMax) continue
    yield step
    step = []
    bytes = 0
  }
  if (step.length > 0) yield step
}
