import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  counted,
  create,
  flaky,
  limited,
  openStore,
  type Store,
  StoreError,
  update,
} from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { onEveryStore } from '../models/stores.ts'
import { altered } from '../store/altered.ts'
import { assertReplayed, ledgerOn, paint } from './ledger.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

onEveryStore('an append-only log', { check: assertReplayed }, (ground, kind) => {
  test('events get numbers from 1 on, as 16 hex digits, and documents say what they say', async () => {
    const appended = await paint(ground.store, ['door', 'wall'], 'red')
    assert.deepEqual(
      appended.map(({ seq }) => seq),
      [1, 2],
    )
    assert.ok(await ground.store.get('ledger/evt/0000000000000001'))
    await paint(ground.store, ['door'], 'blue')
    assert.equal(await ledgerOn(ground.store).complete(), 3)
    assert.equal(await ground.store.get('ledger/colour/red/door'), null)
  })

  test('what has nothing to say appends nothing', async () => {
    await paint(ground.store, ['door'], 'red')
    assert.deepEqual(await paint(ground.store, ['door'], 'red'), [])
    assert.equal(await ledgerOn(ground.store).complete(), 1)
  })

  test('events are read from a number on, up to a limit, or from the newest', async () => {
    for (const colour of ['red', 'blue', 'green']) await paint(ground.store, ['door'], colour)
    const seqs = async (options: Parameters<ReturnType<typeof ledgerOn>['read']>[0]) => {
      const found: number[] = []
      for await (const { seq } of ledgerOn(ground.store).read(options)) found.push(seq)
      return found
    }
    assert.deepEqual(await seqs({ after: 1 }), [2, 3])
    assert.deepEqual(await seqs({ limit: 2 }), [1, 2])
    assert.deepEqual(await seqs({ reverse: true, limit: 2 }), [3, 2])
  })

  test('many writers leave no gap, no repeat, and the documents a replay gives', async () => {
    const stores = [ground.store, await ground.open(), await ground.open()]
    const rounds = kind.startsWith('s3') ? 3 : 8
    const write = async (store: Store, by: number) => {
      for (let round = 0; round < rounds; round++)
        await paint(store, ['door', `wall-${by}`], `colour-${by}-${round}`, String(by))
    }
    await Promise.all(stores.map(write))
    const last = await ledgerOn(ground.store).complete()
    assert.equal(last, stores.length * rounds * 2)
  })

  test('a log that is ahead of its documents is completed by whoever comes next', async () => {
    await paint(ground.store, ['door'], 'red')
    const painted = (name: string, before: string | null, after: string) =>
      bytes(JSON.stringify({ name, before, after, by: 'crash' }))
    await ground.store.commit([
      create('ledger/evt/0000000000000002', painted('door', 'red', 'blue')),
    ])
    await ground.store.commit([
      create('ledger/evt/0000000000000003', painted('wall', null, 'blue')),
    ])
    await paint(ground.store, ['door'], 'green')
    assert.equal(await ledgerOn(ground.store).complete(), 4)
  })

  test('a checkpoint that is ahead of the log, behind it or no number is put right', async () => {
    for (const wrong of [
      bytes('\0\0\0\0\0\0\0\x63'),
      new Uint8Array(8),
      bytes('nonsense, really'),
    ]) {
      await paint(ground.store, ['door'], String(wrong.length + (wrong[7] ?? 0)))
      const entry = await ground.store.get('ledger/seq')
      if (entry) await ground.store.commit([update(entry, wrong)])
      await assertReplayed(ground.store)
    }
  })
})

describe('a log on a store without transactions', () => {
  const prepare = async () => {
    const store = limited(await openStore('memory:'), 1)
    await paint(store, ['door', 'wall'], 'red')
    return store
  }

  test('a crash at any write leaves a log that the next reader completes', async () => {
    const commits = await atEveryCrash({
      prepare,
      operate: (store) => paint(store, ['door', 'wall', 'roof'], 'blue'),
      check: async (store, isAcknowledged) => {
        await assertReplayed(store)
        if (isAcknowledged) assert.equal(await ledgerOn(store).complete(), 5)
        // Doing it again does the rest, and nothing twice.
        await paint(store, ['door', 'wall', 'roof'], 'blue')
        assert.equal(await ledgerOn(store).complete(), 5)
        await assertReplayed(store)
      },
    })
    assert.ok(commits >= 12, `only ${commits} commits`)
  })

  test('a batch that breaks off says that part of it was done', async () => {
    await using store = await prepare()
    const dying = flaky(store, { failBefore: 6, crash: true })
    await assert.rejects(
      paint(dying, ['door', 'wall', 'roof'], 'blue'),
      (error) =>
        error instanceof StoreError && /^Part of it was done, one event/.test(error.message),
    )
  })
})

test('an event that can not be read is named, and disturbs nobody', async () => {
  await using store = await openStore('memory:')
  await paint(store, ['door'], 'red')
  await store.commit([create('ledger/evt/0000000000000002', bytes('{"name":'))])
  await paint(store, ['door'], 'blue')
  const problems: (string | null)[] = []
  for await (const { problem } of ledgerOn(store).read()) problems.push(problem)
  assert.equal(problems.length, 3)
  assert.match(String(problems[1]), /JSON/)
})

test('a lost answer does not append twice', async () => {
  await using store = await openStore('memory:')
  for (let round = 0; round < 20; round++)
    await paint(flaky(store, { loseAnswers: 0.5, seed: round }), ['door'], `c${round}`)
  assert.equal(await ledgerOn(store).complete(), 20)
  await assertReplayed(store)
})

test('who completes late, after others went on, leaves nothing of what was', async () => {
  await using store = limited(await openStore('memory:'), 1)
  await paint(store, ['door'], 'white')
  const painted = { name: 'door', before: 'white', after: 'red', by: 'crash' }
  await store.commit([create('ledger/evt/0000000000000002', bytes(JSON.stringify(painted)))])
  // One stalls right before it puts the entry for red; meanwhile others complete it, and paint it blue.
  const stalling = altered(store, {
    commit: async (writes) => {
      if (writes[0]?.key === 'ledger/colour/red/door') {
        await paint(store, ['door'], 'blue')
        await store.get('ledger/name/door')
      }
      return store.commit(writes)
    },
  })
  await ledgerOn(stalling).complete()
  await assertReplayed(store)
})

test('a writer beside a faster one never reads again what it has followed', async () => {
  await using memory = await openStore('memory:')
  const store = counted(memory)
  const overtakings = 30
  let left = overtakings
  // The other one appends each time between two looks, as it does where it is never paused.
  const overtaken = altered(store, {
    get: async (key) => {
      const entry = await memory.get(key)
      if (key === 'ledger/seq' && left-- > 0) await paint(memory, ['door'], `colour-${left}`)
      return entry
    },
  })
  await paint(overtaken, ['wall'], 'red')
  assert.ok(store.counts.entries <= 2 * overtakings, JSON.stringify(store.counts))
  await assertReplayed(memory)
})
