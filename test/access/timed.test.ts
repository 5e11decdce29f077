import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { anybody, type Caller, KnownTokens, owner, Tokens } from '../../src/access/index.ts'
import { counted, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { altered } from '../store/altered.ts'

/** Longer than what was read serves. */
const oldMs = 600

const nameOf = (found: Caller | string) => (typeof found === 'string' ? found : found.name)

/** A store with a clock that tests set, and that may be away. */
function set(inner: Store) {
  const state = { ms: Date.UTC(2030, 0, 1), isAway: false }
  const store = altered(inner, {
    now: async () => state.ms,
    get: async (key) => {
      if (state.isAway) throw new StoreError('down', 'It is away.', 'Try again.')
      return inner.get(key)
    },
  })
  return { state, store }
}

describe('the tokens that a server knows', { concurrent: true }, () => {
  test('let everybody in until there is one, and then nobody without', async () => {
    await using store = await openStore('memory:')
    const known = new KnownTokens(store)
    assert.equal(await known.find(null), anybody)
    assert.equal(known.find('whatever'), anybody, 'without a promise')
    const tokens = new Tokens(store)
    const { secret } = await tokens.add('ci', 'work')
    await eventually(async () => assert.equal(await known.find(null), 'no token'))
    assert.deepEqual(known.find(secret), { name: 'ci', role: 'work' })
    assert.equal(known.find(`${secret} `), 'unknown token')
    assert.equal(known.find(secret.slice(1)), 'unknown token')
    await tokens.revoke('ci')
    await eventually(async () => assert.equal(await known.find(secret), 'unknown token'))
    assert.equal(await known.find(null), 'no token')
    await tokens.open()
    await eventually(async () => assert.equal(await known.find(null), anybody))
  })

  test('count within a second everywhere', async () => {
    await using store = await openStore('memory:')
    const servers = [new KnownTokens(store), new KnownTokens(store)]
    const tokens = new Tokens(store)
    for (const server of servers) await server.find(null)
    for (let round = 0; round < 3; round++) {
      const { secret } = await tokens.add('ci', 'work')
      for (const server of servers) await server.find(secret)
      await sleep(800)
      for (const server of servers) assert.equal(nameOf(await server.find(secret)), 'ci')
      await tokens.revoke('ci')
      await sleep(800)
      for (const server of servers) assert.equal(await server.find(secret), 'unknown token')
    }
  })

  test('are read once for all who ask, twice a second at most, and never by themselves', async () => {
    await using store = counted(await openStore('memory:'))
    const tokens = new Tokens(store)
    const { secret } = await tokens.add('ci', 'work')
    const costOf = async () => {
      const known = new KnownTokens(store)
      store.reset()
      const start = performance.now()
      while (performance.now() - start < 1_200) {
        await Promise.all(Array.from({ length: 100 }, () => known.find(secret)))
        await sleep(1)
      }
      const { get, list, scan, commit } = store.reset()
      assert.deepEqual([list, scan, commit], [0, 0, 0])
      assert.ok(get >= 2 && get <= 3, `${get} reads`)
      await sleep(1_200)
      assert.equal(store.counts.get, 0, 'nobody asks')
    }
    await costOf()
    for (let n = 0; n < 200; n++) {
      await tokens.add(`gone ${n}`, 'read')
      await tokens.revoke(`gone ${n}`)
    }
    for (let n = 0; n < 50; n++) await tokens.add(`expired ${n}`, 'read', { forMs: 1 })
    await costOf()
  }, 30_000)

  test('expire by the clock of the store, on time and for good, also where that is set back', async () => {
    await using inner = await openStore('memory:')
    const { state, store } = set(inner)
    const tokens = new Tokens(store)
    const { secret } = await tokens.add('ci', 'work', { forMs: 60_000 })
    const { secret: forever } = await tokens.add('ann', 'work')
    const known = new KnownTokens(store)
    assert.equal(nameOf(await known.find(secret)), 'ci')
    state.ms += 59_000
    await sleep(oldMs)
    assert.equal(nameOf(await known.find(secret)), 'ci')
    state.ms += 1_000
    await sleep(oldMs)
    assert.equal(await known.find(secret), 'expired token')
    state.ms -= 86_400_000
    await sleep(oldMs)
    assert.equal(await known.find(secret), 'expired token')
    assert.equal(nameOf(await known.find(forever)), 'ann')
  })

  test('expire though the clock stands still, or is set back before', async () => {
    await using inner = await openStore('memory:')
    const { state, store } = set(inner)
    const { secret } = await new Tokens(store).add('ci', 'work', { forMs: 1_500 })
    const known = new KnownTokens(store)
    assert.equal(nameOf(await known.find(secret)), 'ci')
    state.ms -= 86_400_000
    await sleep(1_600)
    assert.equal(await known.find(secret), 'expired token')
  })

  test('are read again for who asks while a read takes long: it may have missed a revocation', async () => {
    await using inner = await openStore('memory:')
    const tokens = new Tokens(inner)
    const { secret } = await tokens.add('ci', 'work')
    const reads: (() => void)[] = []
    const store = altered(inner, {
      get: async (key) => {
        const entry = await inner.get(key)
        await new Promise<void>((resolve) => reads.push(resolve))
        return entry
      },
    })
    const known = new KnownTokens(store)
    const early = known.find(secret)
    await eventually(async () => assert.equal(reads.length, 1))
    await tokens.revoke('ci')
    await sleep(oldMs)
    const late = [known.find(secret), known.find(secret)]
    await eventually(async () => assert.equal(reads.length, 2))
    for (const end of reads) end()
    assert.ok(['ci', 'unknown token'].includes(nameOf(await early) ?? ''))
    assert.deepEqual(await Promise.all(late), ['unknown token', 'unknown token'])
  })

  test('let nobody in while they can’t be read, and everybody whom they should once they can', async () => {
    await using inner = await openStore('memory:')
    const { state, store } = set(inner)
    const known = new KnownTokens(store)
    assert.equal(await known.find(null), anybody)
    state.isAway = true
    await sleep(oldMs)
    for (let n = 0; n < 3; n++) await assert.rejects(async () => known.find(null), /It is away/)
    state.isAway = false
    assert.equal(await known.find(null), anybody)
  })
})

describe('who is watched', { concurrent: true }, () => {
  /** How long it took until it lapsed. */
  const lapse = (known: KnownTokens, caller: Caller) => {
    const start = performance.now()
    return new Promise<number>((resolve) =>
      known.watch(caller, () => resolve(performance.now() - start)),
    )
  }
  const callerOf = async (known: KnownTokens, secret: string | null) =>
    (await known.find(secret)) as Caller

  test('is told within two seconds of a revocation, of an expiry, and of the first token', async () => {
    await using store = await openStore('memory:')
    const tokens = new Tokens(store)
    const known = new KnownTokens(store)
    const stranger = lapse(known, await callerOf(known, null))
    const ci = await tokens.add('ci', 'work')
    assert.ok((await stranger) < 2_000)
    await sleep(oldMs)
    const brief = await tokens.add('brief', 'work', { forMs: 1_000 })
    const stays = await tokens.add('stays', 'work')
    await sleep(oldMs)
    let hasLapsed = false
    known.watch(await callerOf(known, stays.secret), () => {
      hasLapsed = true
    })
    const expired = lapse(known, await callerOf(known, brief.secret))
    const revoked = lapse(known, await callerOf(known, ci.secret))
    await tokens.revoke('ci')
    // At once the name is another's: that is not the token that was let in.
    await tokens.add('ci', 'work')
    assert.ok((await revoked) < 2_000)
    assert.ok((await expired) < 3_000)
    assert.equal(hasLapsed, false)
  })

  test('is let go where the tokens can’t be read for long, but not for a moment’s trouble', async () => {
    await using inner = await openStore('memory:')
    const { state, store } = set(inner)
    const known = new KnownTokens(store)
    const caller = await callerOf(known, null)
    let hasLapsed = false
    const stop = known.watch(caller, () => {
      hasLapsed = true
    })
    await sleep(400)
    state.isAway = true
    await sleep(900)
    state.isAway = false
    await sleep(1_200)
    assert.equal(hasLapsed, false)
    stop()
    const lapsed = lapse(known, caller)
    state.isAway = true
    assert.ok((await lapsed) < 4_000)
  })

  test('is let go in time also where each read takes long', async () => {
    await using inner = await openStore('memory:')
    let readMs = 0
    let begun = () => {}
    const store = altered(inner, {
      get: async (key) => {
        const entry = await inner.get(key)
        begun()
        await sleep(readMs, undefined, { ref: false })
        return entry
      },
    })
    const tokens = new Tokens(inner)
    for (const slowMs of [1_300, 600_000]) {
      readMs = 0
      const { secret } = await tokens.add('ci', 'work')
      const known = new KnownTokens(store)
      const lapsed = lapse(known, await callerOf(known, secret))
      readMs = slowMs
      await new Promise<void>((resolve) => {
        begun = resolve
      })
      await tokens.revoke('ci')
      const revoked = performance.now()
      await lapsed
      const ms = performance.now() - revoked
      assert.ok(ms < 2_000, `${Math.round(ms)} ms with reads of ${slowMs} ms`)
    }
  })

  test('costs a read a second, however many there are, and nothing once nobody is', async () => {
    await using store = counted(await openStore('memory:'))
    const { secret } = await new Tokens(store).add('ci', 'work')
    const known = new KnownTokens(store)
    const caller = await callerOf(known, secret)
    const stops = Array.from({ length: 100 }, () => known.watch(caller, () => {}))
    store.reset()
    await sleep(3_100)
    const { get } = store.reset()
    assert.ok(get >= 2 && get <= 4, `${get} reads`)
    for (const stop of stops) stop()
    await sleep(1_500)
    assert.equal(store.counts.get, 0)
  })

  test('with the server’s own token is not asked about at all', async () => {
    await using store = counted(await openStore('memory:'))
    const known = new KnownTokens(store)
    known.watch(owner, () => assert.fail())
    await new Tokens(store).add('ci', 'work')
    store.reset()
    await sleep(1_300)
    assert.equal(store.counts.get, 0)
  })
})
