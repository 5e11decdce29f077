import { pooled, type Space } from '../collection/index.ts'
import type { Entry, Store } from '../store/internal.ts'
import { formatName, formatVersion, type Header, lineOf, newHash, type Trailer } from './format.ts'
import { isIn, models } from './models.ts'
import { Survey } from './survey.ts'

/** How much is given at a time, about. */
const chunkCharacters = 65_536
/** How many keys are looked up at a time. */
const stepKeys = 256

/** What became of an export. */
export interface Exported extends Trailer {
  /** The keys of some documents that changed, came or went while they were exported. */
  readonly changingKeys: readonly string[]
}

/**
 * All documents of a store as text, piece by piece; at the end it answers with what that holds. Others may go on writing:
 * where the store can hold a moment, that is what is exported. Elsewhere each document is as it was at some moment, and
 * what changed meanwhile is told.
 *
 * Documents are copied by key and byte. Going through the models would change bytes, lose documents that can't be read,
 * and need separate code for each model; copying every key would carry along indexes from another moment and short-lived
 * state such as worker registrations.
 */
export async function* exported(
  store: Store,
  { kind, at }: { kind: string; at: number },
): AsyncGenerator<string, Exported> {
  const header: Header = {
    format: formatName,
    version: formatVersion,
    store: kind,
    exported_at: new Date(at).toISOString(),
  }
  const hash = newHash()
  const counts: Record<string, number> = {}
  await using moment = (await store.snapshot?.()) ?? null
  const survey = moment === null ? new Survey(store) : null
  let chunk = `${JSON.stringify(header)}\n`
  for (const { model, spaces } of models)
    for (const space of spaces)
      for await (const entry of entriesIn(moment ?? store, space)) {
        if (survey && !(await survey.takes(entry, space))) continue
        const value = await space.completed?.(store, entry)
        chunk += lineOf(value ? { key: entry.key, value } : entry)
        counts[model] = (counts[model] ?? 0) + 1
        if (chunk.length < chunkCharacters) continue
        hash.update(chunk)
        yield chunk
        chunk = ''
      }
  const { changing, changingKeys } = (await survey?.changes()) ?? { changing: 0, changingKeys: [] }
  const documents = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const sha256 = hash.update(chunk).digest('hex')
  const also = changing === 0 ? {} : { changing }
  const trailer: Trailer = { end: true, documents, models: counts, ...also, sha256 }
  yield `${chunk}${JSON.stringify(trailer)}\n`
  return { ...trailer, changingKeys }
}

/** Where only some of the keys are meant, those are looked up: values may be large, and on S3 each is a request. */
function entriesIn(store: Store, space: Space): AsyncIterable<Entry> {
  return space.includes ? lookedUp(store, space) : store.scan(space.prefix)
}

async function* lookedUp(store: Store, space: Space): AsyncGenerator<Entry> {
  let keys: string[] = []
  const entries = async () => {
    const found = await pooled(keys, (key) => store.get(key))
    keys = []
    return found.filter((entry) => entry !== null)
  }
  for await (const { key } of store.list(space.prefix)) {
    if (!isIn(space, key)) continue
    keys.push(key)
    if (keys.length === stepKeys) yield* await entries()
  }
  yield* await entries()
}
