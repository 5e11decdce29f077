import { create, type Store, type Write } from '../../src/store/index.ts'

const commitWritesMax = 1_000
const digits = 8

/**
 * Copies what belongs to some ids until so many others are there: every entry whose key or value holds the id, with
 * another end of the id instead. So a store fills as fast as it can be written, in the layout that the model gave it.
 */
export async function crowd(store: Store, ids: readonly string[], count: number): Promise<void> {
  const samples = await samplesOf(store, ids)
  let writes: Write[] = []
  const flush = async () => {
    const result = await store.commit(writes)
    if (!result.ok) throw new Error('A copy has the key of another.')
    writes = []
  }
  for (let nth = 0; nth < count; nth++) {
    const { id, entries } = samples[nth % samples.length] as Sample
    const other = copyOf(id, nth)
    for (const [key, value] of entries) {
      writes.push(create(key.replaceAll(id, other), Buffer.from(value.replaceAll(id, other))))
      if (writes.length === commitWritesMax) await flush()
    }
  }
  await flush()
}

interface Sample {
  readonly id: string
  readonly entries: readonly (readonly [key: string, value: string])[]
}

async function samplesOf(store: Store, ids: readonly string[]): Promise<Sample[]> {
  const all: [key: string, value: string][] = []
  for await (const { key, value } of store.scan('')) all.push([key, Buffer.from(value).toString()])
  return ids.map((id) => {
    const entries = all.filter(([key]) => key.includes(id))
    if (entries.length === 0) throw new Error(`Nothing in the store belongs to ${id}.`)
    return { id, entries }
  })
}

/** Ids end with digits that are random anyway. */
function copyOf(id: string, nth: number): string {
  const end = nth.toString(16).padStart(digits, '0')
  return id.slice(0, -digits) + (/[a-z]/.test(id) ? end : end.toUpperCase())
}
