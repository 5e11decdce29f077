import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import {
  additionOf,
  additionsOf,
  listIdsMax,
  partition,
  readLists,
  removalOf,
  tidyingOf,
} from '../../src/collection/set-lists.ts'
import { counted, create, openStore, type Store, type Write } from '../../src/store/index.ts'

const key = 'sets/tag'
const idOf = (at: number) => createHash('sha512').update(String(at)).digest('hex')

const add = async (store: Store, id: string) => store.commit(await additionOf(store, key, id))
const drop = async (store: Store, id: string) => store.commit(await removalOf(store, key, id))

async function layout(store: Store): Promise<Record<string, number>> {
  const lists = await readLists(store, key)
  return Object.fromEntries(lists.map(({ entry, ids }) => [entry.key, ids.length]))
}

async function merge(store: Store): Promise<void> {
  await store.commit(tidyingOf(key, await readLists(store, key)))
}

describe('a set as lists of ids', () => {
  test('500 ids are one list under the plain key, newline-delimited', async () => {
    await using store = await openStore('memory:')
    for (let at = 0; at < listIdsMax; at++) await add(store, idOf(at))
    assert.deepEqual(await layout(store), { [key]: 500 })
    const value = new TextDecoder().decode((await store.get(key))?.value)
    assert.deepEqual(
      value.split('\n'),
      Array.from({ length: 500 }, (_, at) => idOf(at)),
    )
    assert.ok(value.length < 65_536)
  })

  test('the 501st splits it by the first hex digit, and the plain key goes', async () => {
    await using store = await openStore('memory:')
    for (let at = 0; at <= listIdsMax; at++) await add(store, idOf(at))
    const lists = await layout(store)
    assert.equal(await store.get(key), null)
    assert.deepEqual(
      Object.keys(lists),
      [...'0123456789abcdef'].map((digit) => `${key}/${digit}`),
    )
    assert.equal(
      Object.values(lists).reduce((sum, count) => sum + count),
      501,
    )
  })

  test('a split loses to a merge that has removed its first lists: no id is lost', async () => {
    await using store = await openStore('memory:')
    const ids = Array.from({ length: listIdsMax + 1 }, (_, at) => idOf(at)).sort()
    const added = ids.pop() as string
    for (const id of ids) await add(store, id)
    const split = await additionOf(store, key, added)
    const isRest = (write: Write) => write.type === 'remove' || write.key >= `${key}/5`
    for (const write of split.filter((each) => !isRest(each))) await store.commit([write])
    await merge(store)
    for (const write of split.filter(isRest)) await store.commit([write])
    const kept = new Set((await readLists(store, key)).flatMap((list) => list.ids))
    assert.deepEqual(
      ids.filter((id) => !kept.has(id)),
      [],
    )
  })

  test('ids that begin alike take as many digits as it needs', async () => {
    const ids = Array.from({ length: 600 }, (_, at) => `abc${idOf(at)}`.slice(0, 128))
    const parts = partition(ids, 1)
    assert.ok(parts.every(([digits, part]) => digits.length === 4 && part.length <= listIdsMax))
    await using store = await openStore('memory:')
    for (const id of ids) await add(store, id)
    assert.ok(Object.keys(await layout(store)).every((each) => /\/abc[0-9a-f]$/.test(each)))
    // One that begins otherwise has a list as high up as it can be.
    await add(store, '0'.repeat(128))
    assert.equal((await layout(store))[`${key}/0`], 1)
    await add(store, `ab0${'0'.repeat(125)}`)
    assert.equal((await layout(store))[`${key}/ab0`], 1)
  })

  test('an empty list is removed', async () => {
    await using store = await openStore('memory:')
    await add(store, idOf(1))
    await drop(store, idOf(1))
    assert.deepEqual(await layout(store), {})
    assert.deepEqual(await removalOf(store, key, idOf(1)), [])
  })

  test('lists merge back as soon as they fit into one', async () => {
    await using store = await openStore('memory:')
    for (let at = 0; at < 900; at++) await add(store, idOf(at))
    await merge(store)
    assert.equal(Object.keys(await layout(store)).length, 16)
    for (let at = 0; at < 400; at++) await drop(store, idOf(at))
    await merge(store)
    assert.deepEqual(await layout(store), { [key]: 500 })
  })

  test('a member that is added again is written again: a removal by what was seen before must lose', async () => {
    await using store = await openStore('memory:')
    await add(store, idOf(1))
    const removal = await removalOf(store, key, idOf(1))
    await add(store, idOf(1))
    assert.equal((await store.commit(removal)).ok, false)
  })

  test('what another program left in a list does no harm', async () => {
    await using store = await openStore('memory:')
    const odd = `\r\n${idOf(1)}\r\n\n${'x'.repeat(5000)}\n`
    await store.commit([create(key, new TextEncoder().encode(odd))])
    const [list] = await readLists(store, key)
    assert.deepEqual(list?.ids, [idOf(1)])
    await store.commit([create(`${key}2`, new Uint8Array([255, 254, 10, 200]))])
    assert.equal((await readLists(store, `${key}2`)).length, 1)
  })

  test('a list without ids goes when the set is tidied', async () => {
    await using store = await openStore('memory:')
    await store.commit([create(key, new TextEncoder().encode('\n'))])
    await merge(store)
    assert.deepEqual(await layout(store), {})
  })

  test('ids with more in common than any split can part stay in one list', async () => {
    await using store = await openStore('memory:')
    for (let at = 0; at < 510; at++) await add(store, `${'a'.repeat(16)}${idOf(at)}`.slice(0, 128))
    assert.deepEqual(Object.values(await layout(store)), [510])
    await drop(store, `${'a'.repeat(16)}${idOf(509)}`.slice(0, 128))
    assert.deepEqual(Object.values(await layout(store)), [509])
  })

  test('many are added at once, with one write for each list that changes', async () => {
    await using store = counted(await openStore('memory:'))
    const ids = Array.from({ length: 2_000 }, (_, at) => idOf(at))
    await store.commit(additionsOf(key, [], ids.slice(0, 300)))
    assert.deepEqual(await layout(store), { [key]: 300 })
    store.reset()
    await store.commit(additionsOf(key, await readLists(store, key), ids))
    assert.equal(store.counts.writes, 17)
    const found = (await readLists(store, key)).flatMap((list) => list.ids)
    assert.deepEqual(found.sort(), ids.sort())
    assert.deepEqual(additionsOf(key, await readLists(store, key), ids), [])
  })

  test('a reader never sees a set empty while it is merged or split', async () => {
    await using store = await openStore('memory:')
    for (let at = 0; at < 520; at++) await add(store, idOf(at))
    for (let at = 0; at < 40; at++) await drop(store, idOf(at))
    const scan = store.scan.bind(store)
    store.scan = (prefix, options) => {
      store.scan = scan
      // Between the look at the plain key and the one at the lists below.
      return (async function* () {
        await merge(store)
        yield* scan(prefix, options)
      })()
    }
    const found = (await readLists(store, key)).flatMap((list) => list.ids)
    assert.equal(found.length, 480)
  })

  test('adding to a large set touches one list, however large the set', async () => {
    await using store = counted(await openStore('memory:'))
    for (let at = 0; at < 9_000; at++) await add(store, idOf(at))
    store.reset()
    await add(store, idOf(9_001))
    const { get, entries, writes } = store.counts
    assert.ok(get <= 2 && entries <= 3 && writes === 1, JSON.stringify(store.counts))
  })

  test('it is a set whatever is added, removed and merged', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'drop', 'merge'), fc.nat(40)), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await using store = await openStore('memory:')
        const expected = new Set<string>()
        // Starts full, so that the first addition splits.
        for (let at = 1000; at < 1000 + listIdsMax; at++) expected.add(idOf(at))
        await store.commit([create(key, new TextEncoder().encode([...expected].join('\n')))])
        for (const [what, at] of all) {
          if (what === 'merge') await merge(store)
          else await (what === 'add' ? add : drop)(store, idOf(at))
          if (what === 'add') expected.add(idOf(at))
          if (what === 'drop') expected.delete(idOf(at))
        }
        const found = (await readLists(store, key)).flatMap(({ ids }) => ids)
        assert.deepEqual(found.sort(), [...expected].sort())
      }),
      { numRuns: 50 },
    )
  })
})
