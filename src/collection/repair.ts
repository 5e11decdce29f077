import { setTimeout as sleep } from 'node:timers/promises'
import { namespaceOf, type Store } from '../store/index.ts'
import type { Collection } from './collection.ts'
import { type Definition, idOf, keyOf } from './definition.ts'
import { CorruptDocumentError, documentOf } from './document.ts'
import type { Index, Mark, StandingMark } from './mark.ts'
import { pooled } from './pooled.ts'
import { orphanGraceMs, type Writer } from './writer.ts'

export interface RepairOptions {
  /** Only count what is not as it should be. */
  readonly dryRun?: boolean
  /**
   * How long a mark without a document must have stood on a store without transactions, where it may belong
   * to a document that is just being created.
   */
  readonly graceMs?: number
  readonly signal?: AbortSignal
}

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

/** How many documents or marks one step looks at: what is held in memory at a time. */
const stepMax = 5_000

interface Work<T> {
  readonly collection: Collection<T>
  readonly writer: Writer<T>
  readonly options: RepairOptions
}

/**
 * Compares what stands in the indexes with what the documents imply, in steps of bounded size and from both
 * sides, and mends the difference. Others may go on reading and writing meanwhile.
 */
export async function repair<T>(
  collection: Collection<T>,
  writer: Writer<T>,
  options: RepairOptions = {},
): Promise<RepairReport> {
  const work: Work<T> = { collection, writer, options }
  const { store, definition } = collection
  const { documents, corrupt, missing } = await putMissing(work)
  let stale = 0
  for (const index of definition.indexes) stale += await sweepStale(work, index)
  let merged = 0
  for (const index of definition.indexes)
    merged += (await index.tidy?.(store, options.dryRun ?? false)) ?? 0
  return { documents, corrupt, missing, stale, merged }
}

async function putMissing<T>(work: Work<T>) {
  const { store, definition } = work.collection
  const corrupt: string[] = []
  let [documents, missing] = [0, 0]
  for await (const entries of inSteps(store.scan(definition.prefix), work.options)) {
    const implied = definition.indexes.map((): StandingMark[] => [])
    for (const entry of entries) {
      const id = idOf(definition, entry.key)
      if (id === null) continue
      try {
        const { value } = documentOf(definition, id, entry)
        documents++
        definition.indexes.forEach((index, at) => {
          for (const mark of index.marks(id, value)) implied[at]?.push({ id, mark })
        })
      } catch (error) {
        if (!(error instanceof CorruptDocumentError)) throw error
        corrupt.push(id)
      }
    }
    for (const [at, index] of definition.indexes.entries())
      missing += await putThese(work, index, implied[at] ?? [])
  }
  return { documents, corrupt, missing }
}

async function putThese<T>(
  { collection, writer, options }: Work<T>,
  index: Index<T>,
  implied: readonly StandingMark[],
): Promise<number> {
  const idOfMark = new Map<Mark, string>(implied.map(({ id, mark }) => [mark, id]))
  const missing = await index.missing(collection.store, [...idOfMark.keys()])
  if (options.dryRun) return missing.length
  for (const mark of missing) {
    await writer.put(mark)
    // The document may have changed since it was read; then the mark goes again.
    await writer.sweep(idOfMark.get(mark) as string, mark)
  }
  return missing.length
}

async function sweepStale<T>(work: Work<T>, index: Index<T>): Promise<number> {
  const { collection, writer, options } = work
  const { dryRun = false, graceMs = orphanGraceMs } = options
  const orphans: StandingMark[] = []
  let stale = 0
  for await (const standing of inSteps(index.standing(collection.store), options)) {
    const verdicts = await verdictsOf(work, standing)
    for (const [at, one] of standing.entries())
      if (verdicts[at] === 'orphan') orphans.push(one)
      else if (verdicts[at] === 'stale' && (dryRun || (await writer.sweep(one.id, one.mark))))
        stale++
  }
  if (dryRun) return stale + orphans.length
  if (orphans.length > 0 && !isAtomic(collection.store, collection.definition))
    await sleep(graceMs, undefined, options.signal ? { signal: options.signal } : {})
  for (const { id, mark } of orphans) if (await writer.sweep(id, mark)) stale++
  return stale
}

async function verdictsOf<T>(
  { collection: { store, definition }, writer }: Work<T>,
  standing: readonly StandingMark[],
): Promise<('implied' | 'stale' | 'orphan')[]> {
  const ids = [...new Set(standing.map(({ id }) => id))]
  const entries = await pooled(ids, (id) => store.get(keyOf(definition, id)))
  const byId = new Map(ids.map((id, at) => [id, entries[at] ?? null]))
  return standing.map(({ id, mark }) => {
    const entry = byId.get(id) ?? null
    if (entry === null) return 'orphan'
    return writer.implies(id, entry, mark) ? 'implied' : 'stale'
  })
}

/** Whether a document is always created together with its marks. */
function isAtomic<T>({ limits }: Store, { prefix, indexes }: Definition<T>): boolean {
  if (limits.commitWritesMax === 1) return false
  const namespaces = [prefix, ...indexes.map((index) => index.prefix)].map(namespaceOf)
  return limits.commitSpan === 'store' || new Set(namespaces).size === 1
}

async function* inSteps<T>(
  items: AsyncIterable<T>,
  { signal }: RepairOptions,
): AsyncGenerator<readonly T[]> {
  let step: T[] = []
  for await (const item of items) {
    step.push(item)
    if (step.length < stepMax) continue
    signal?.throwIfAborted()
    yield step
    step = []
  }
  if (step.length > 0) yield step
}
