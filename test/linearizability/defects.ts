import type { CommitResult, Entry, Head, Store, Write } from '../../src/store/index.ts'
import { StoreError } from '../../src/store/index.ts'
import type { Random } from '../sim/random.ts'
import { altered } from '../store/altered.ts'

/** Makes a store that is wrong once in so many calls, as a driver with a bug would be. */
export type Defect = (store: Store, random: Random, oneIn: number) => Store

/** A commit that goes through whatever the keys hold: what it expects is read just before. */
async function unconditional(store: Store, writes: readonly Write[]): Promise<CommitResult> {
  const current = await Promise.all(writes.map(({ key }) => store.get(key)))
  const needed = writes.filter(({ type }, index) => type !== 'remove' || current[index])
  const result = await store.commit(
    needed.map((write) => unconditionalWrite(write, current[writes.indexOf(write)]!)),
  )
  if (!result.ok) return result
  // What was to be removed and is not there is as good as removed.
  return {
    ok: true,
    revisions: writes.map((write) => result.revisions[needed.indexOf(write)] ?? null),
  }
}

function unconditionalWrite(write: Write, entry: Entry | null): Write {
  const { key } = write
  if (write.type === 'remove') return entry ? { type: 'remove', ...headOf(entry) } : write
  const { value } = write
  return entry ? { type: 'update', ...headOf(entry), value } : { type: 'create', key, value }
}

const headOf = ({ key, revision }: Head): Head => ({ key, revision })

/** What the store is to say where it is wrong: as many revisions as writes. */
const pretended = (writes: readonly Write[], random: Random): CommitResult => ({
  ok: true,
  revisions: writes.map(({ type }) => (type === 'remove' ? null : `pretended-${random.next()}`)),
})

const skippedCompare: Defect = (store, random, oneIn) =>
  altered(store, {
    commit: (writes) =>
      random.chance(1 / oneIn) ? unconditional(store, writes) : store.commit(writes),
  })

const staleRead: Defect = (store, random, oneIn) => {
  const before = new Map<string, Entry | null>()
  return altered(store, {
    get: async (key) => {
      const entry = await store.get(key)
      const old = before.get(key)
      before.set(key, entry)
      return old !== undefined && random.chance(1 / oneIn) ? old : entry
    },
  })
}

const lostWrite: Defect = (store, random, oneIn) =>
  altered(store, {
    commit: async (writes) => {
      if (!random.chance(1 / oneIn)) return store.commit(writes)
      const current = await Promise.all(writes.map(({ key }) => store.get(key)))
      const holds = writes.every(
        (write, index) =>
          current[index]?.revision === (write.type === 'create' ? undefined : write.revision),
      )
      return holds ? pretended(writes, random) : { ok: false }
    },
  })

const halfCommit: Defect = (store, random, oneIn) =>
  altered(store, {
    commit: async (writes) => {
      const isHalf = writes.length > 1 && random.chance(1 / oneIn)
      if (!isHalf) return store.commit(writes)
      const half = await store.commit(writes.slice(1))
      if (!half.ok) return half
      const rest = pretended(writes.slice(0, 1), random)
      return { ok: true, revisions: [...(rest.ok ? rest.revisions : []), ...half.revisions] }
    },
  })

/** A refusal that the caller may take for "somebody was faster", when nobody was. */
const falseConflict: Defect = (store, random, oneIn) =>
  altered(store, {
    commit: async (writes) => (random.chance(1 / oneIn) ? { ok: false } : store.commit(writes)),
  })

const deniedWrite: Defect = (store, random, oneIn) =>
  altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      if (!result.ok || !random.chance(1 / oneIn)) return result
      throw new StoreError('down', 'The store failed on purpose, after the commit.', 'Try again.')
    },
  })

/** Versions that begin at 1 each time a key is created, as those of some stores do. */
const reusedRevision: Defect = (store, random, oneIn) => {
  const names = new Map<string, string>()
  const lives = new Map<string, number>()
  const shown = <T extends Head>(head: T): T => ({ ...head, revision: nameOf(head) })
  const nameOf = ({ key, revision }: Head): string =>
    names.get(`${key} ${revision}`) ?? `${revision}`
  async function* all<T extends Head>(items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) yield shown(item)
  }
  const inner = (write: Write): Write => {
    if (write.type === 'create') return write
    const known = [...names].find(
      ([name, given]) => given === write.revision && name.startsWith(`${write.key} `),
    )
    return known ? { ...write, revision: known[0].slice(write.key.length + 1) } : write
  }
  return altered(store, {
    get: async (key) => {
      const entry = await store.get(key)
      return entry && shown(entry)
    },
    list: (prefix, options) => all(store.list(prefix, options)),
    scan: (prefix, options) => all(store.scan(prefix, options)),
    commit: async (writes) => {
      const result = await store.commit(writes.map(inner))
      if (!result.ok) return result
      const revisions = writes.map(({ type, key }, index) => {
        const revision = result.revisions[index]
        if (revision == null) return null
        const life = lives.get(key) ?? 0
        if (type !== 'create' || (life > 0 && !random.chance(1 / oneIn))) return revision
        lives.set(key, life + 1)
        names.set(`${key} ${revision}`, `first of ${key}`)
        return `first of ${key}`
      })
      return { ok: true, revisions }
    },
  })
}

const shortList: Defect = (store, random, oneIn) => {
  async function* some<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) if (!random.chance(1 / oneIn)) yield item
  }
  return altered(store, {
    list: (prefix, options) => some(store.list(prefix, options)),
    scan: (prefix, options) => some(store.scan(prefix, options)),
  })
}

const repeatingList: Defect = (store, random, oneIn) => {
  async function* more<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const item of items) {
      yield item
      if (random.chance(1 / oneIn)) yield item
    }
  }
  return altered(store, {
    list: (prefix, options) => more(store.list(prefix, options)),
    scan: (prefix, options) => more(store.scan(prefix, options)),
  })
}

export const defects: Readonly<Record<string, Defect>> = {
  'skips a compare': skippedCompare,
  'gives a stale read': staleRead,
  'loses a write that it acknowledged': lostWrite,
  'writes half of a commit': halfCommit,
  'reports a conflict that was none': falseConflict,
  'says that nothing happened when it did': deniedWrite,
  'uses a revision again': reusedRevision,
  'leaves a key out of a list': shortList,
  'gives a key twice in a list': repeatingList,
}
