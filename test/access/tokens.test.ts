import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  InvalidTokenError,
  type Lifetime,
  type Role,
  roles,
  TokenExistsError,
  TokenNotFoundError,
  Tokens,
  TokensRefusedError,
} from '../../src/access/index.ts'
import { CorruptDocumentError } from '../../src/collection/index.ts'
import { counted, create, flaky, limited, openStore, type Store } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { altered } from '../store/altered.ts'

const key = 'holdfast_access/tokens'

/** What lies in the store, as text. */
async function stored(store: Store): Promise<string> {
  let text = ''
  for await (const { key, value } of store.scan(''))
    text += `${key} ${Buffer.from(value).toString()}\n`
  return text
}

onEveryStore('tokens', { check: async () => {} }, (ground) => {
  test('are added, listed and revoked; the store holds neither them nor more than one document', async () => {
    const tokens = new Tokens(ground.store)
    assert.deepEqual(await tokens.list(), { tokens: [], closed: false })
    const { secret, token } = await tokens.add('ci', 'work', { forMs: 3_600_000 })
    assert.match(secret, /^holdfast_[\w-]{43}$/)
    await tokens.add('ann', 'admin')
    const { tokens: listed, closed } = await new Tokens(await ground.open()).list()
    assert.deepEqual(listed, [
      { name: 'ann', role: 'admin', created: listed[0]?.created, expires: null, expired: false },
      token,
    ])
    assert.equal(closed, true)
    assert.equal(Date.parse(token.expires as string) - Date.parse(token.created), 3_600_000)
    const text = await stored(ground.store)
    assert.ok(!text.includes(secret) && !text.includes(secret.slice('holdfast_'.length)))
    assert.deepEqual(
      text.split('\n').filter((line) => line.startsWith('holdfast_access/')).length,
      1,
    )
    assert.equal((await tokens.revoke('ci')).left, 1)
    assert.equal((await tokens.revoke('ann')).left, 0)
    assert.deepEqual(await tokens.list(), { tokens: [], closed: true })
    assert.deepEqual(await tokens.open(), { changed: true })
    assert.deepEqual(await tokens.open(), { changed: false })
    assert.deepEqual(await tokens.list(), { tokens: [], closed: false })
  })

  test('of one name are added once, however many try at a time; of many names none is lost', async () => {
    const stores = [ground.store, await ground.open()]
    const names = ['a', 'b', 'c', 'd']
    const outcomes = await Promise.allSettled(
      stores.flatMap((store) => names.map((name) => new Tokens(store).add(name, 'read'))),
    )
    const lost = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(lost.length, names.length)
    for (const each of lost)
      assert.ok((each as PromiseRejectedResult).reason instanceof TokenExistsError)
    const { tokens } = await new Tokens(ground.store).list()
    assert.deepEqual(
      tokens.map(({ name }) => name),
      names,
    )
  })
})

test('all tokens are revoked at once; a store that never had one stays open', async () => {
  await using store = await openStore('memory:')
  const tokens = new Tokens(store)
  assert.deepEqual(await tokens.revokeAll(), { changed: false })
  assert.deepEqual(await tokens.list(), { tokens: [], closed: false })
  for (const name of ['a', 'b', 'c']) await tokens.add(name, 'admin')
  assert.deepEqual(await tokens.revokeAll(), { changed: true })
  assert.deepEqual(await tokens.list(), { tokens: [], closed: true })
})

describe('a token', () => {
  test('needs a name that can be seen and told apart, a role, and a time to come', async () => {
    await using store = counted(await openStore('memory:'))
    const tokens = new Tokens(store)
    const far = { untilMs: Date.UTC(9999, 11, 31) + 100 * 86_400_000 }
    const wrong: readonly [name: string, role: string, lifetime?: Lifetime][] = [
      ...['', 'a/b', '/', '.', '..', '-x', ' a', 'a ', 'a\nb', 'a\u0000b', 'a\u00a0b'].map(
        (name) => [name, 'read'] as const satisfies [string, string],
      ),
      // Directions, joiners, tags, a lone surrogate, a private character; and an é in two pieces.
      ...['a\u202eb', 'a\u200fb', 'a\u061cb', 'a\u{e0041}b', 'a\ud800b', 'a\ue000b', 'e\u0301'].map(
        (name) => [name, 'read'] as const satisfies [string, string],
      ),
      // Fillers, which are letters; variation selectors and a joiner, which are marks; an empty cell, which is a symbol.
      ...['\u3164', '\u115f', '\uffa0', '\u180b', '\ufe0f', '\u034f', '\u{e0100}', '\u2800'].map(
        (blank) => [`a${blank}`, 'read'] as const satisfies [string, string],
      ),
      ['x'.repeat(65), 'read'],
      ['a', 'boss'],
      ['a', 'read', { forMs: 0 }],
      ['a', 'read', { forMs: -1 }],
      ['a', 'read', { forMs: Number.NaN }],
      ['a', 'read', { untilMs: Date.now() - 1 }],
      ['a', 'read', far],
    ]
    for (const [name, role, lifetime] of wrong)
      await assert.rejects(
        tokens.add(name, role as Role, lifetime),
        InvalidTokenError,
        JSON.stringify([name, role, lifetime]),
      )
    assert.equal(store.counts.commit, 0)
    for (const name of ['a', 'Ann Übel', '日本', 'bot@ci.example', 'x'.repeat(64), 'r2-d2_(new)'])
      await tokens.add(name, 'read')
  })

  test('keeps its name from others, also once it has expired; a revoked name is free', async () => {
    await using inner = await openStore('memory:')
    let ms = Date.UTC(2030, 0, 1)
    const tokens = new Tokens(altered(inner, { now: async () => ms }))
    await tokens.add('ci', 'read', { forMs: 1_000 })
    await assert.rejects(tokens.add('ci', 'admin'), TokenExistsError)
    ms += 1_000
    assert.equal((await tokens.list()).tokens[0]?.expired, true)
    await assert.rejects(tokens.add('ci', 'admin'), TokenExistsError)
    await tokens.revoke('ci')
    await assert.rejects(tokens.revoke('ci'), TokenNotFoundError)
    assert.equal((await tokens.add('ci', 'admin')).token.role, 'admin')
  })

  test('that works keeps the store from being opened; one that has expired does not', async () => {
    await using inner = await openStore('memory:')
    let ms = Date.UTC(2030, 0, 1)
    const tokens = new Tokens(altered(inner, { now: async () => ms }))
    await tokens.add('ci', 'read', { forMs: 1_000 })
    await assert.rejects(tokens.open(), TokensRefusedError)
    ms += 1_000
    assert.deepEqual(await tokens.open(), { changed: true })
    assert.deepEqual(await tokens.list(), { tokens: [], closed: false })
  })

  test('is one of a thousand at most, and a thousand fit', async () => {
    await using store = await openStore('memory:')
    const tokens = new Tokens(store)
    const name = (n: number) => `${'\u{1F600}'.repeat(60)}${n}`
    const { token } = await tokens.add(name(0), 'admin', { forMs: 1_000 })
    const register = {
      v: 1,
      closed: true,
      tokens: Array.from({ length: 1_000 }, (_, n) => ({
        ...{ name: name(n), role: 'admin', sha256: 'a'.repeat(64) },
        ...{ created: token.created, expires: token.expires },
      })),
    }
    assert.ok(Buffer.byteLength(JSON.stringify(register)) < store.limits.valueBytesMax)
    const entry = await store.get(key)
    assert.ok(entry)
    await store.commit([
      { type: 'update', ...entry, value: Buffer.from(JSON.stringify(register)) } as never,
    ])
    await assert.rejects(tokens.add('one more', 'read'), TokensRefusedError)
    await tokens.revoke(name(7))
    await tokens.add('one more', 'read')
  })
})

describe('a store that fails', () => {
  test('with the first token either closes with it or stays as it was: it is one write', async () => {
    for (const faults of [{ failBefore: 1 }, { failAfter: 1 }]) {
      await using inner = counted(await openStore('memory:'))
      const dying = flaky(limited(inner, 1), { ...faults, crash: true })
      await assert.rejects(new Tokens(dying).add('ci', 'work'))
      const { tokens, closed } = await new Tokens(inner).list()
      assert.equal(closed, 'failAfter' in faults)
      assert.equal(tokens.length, closed ? 1 : 0)
      assert.ok(inner.counts.writes <= 1)
    }
  })

  test('and loses an answer: what was asked for is done once', async () => {
    await using inner = await openStore('memory:')
    const losing = () =>
      flaky(altered(inner, { [Symbol.asyncDispose]: async () => {} }), { failAfter: 1 })
    const { secret } = await new Tokens(losing()).add('ci', 'work')
    assert.ok(secret)
    assert.equal((await new Tokens(inner).list()).tokens.length, 1)
    assert.equal((await new Tokens(losing()).revoke('ci')).left, 0)
    assert.deepEqual(await new Tokens(losing()).open(), { changed: true })
  })

  test('and the name is another’s by the time its revocation is tried again: that token stays', async () => {
    await using inner = await openStore('memory:')
    await new Tokens(inner).add('ci', 'work')
    let isFirst = true
    const store = altered(inner, {
      commit: async (writes) => {
        if (!isFirst) return inner.commit(writes)
        isFirst = false
        // Somebody else is faster: revokes it, and gives the name away.
        await new Tokens(inner).revoke('ci')
        await new Tokens(inner).add('ci', 'read')
        return inner.commit(writes)
      },
    })
    await new Tokens(store).revoke('ci')
    assert.equal((await new Tokens(inner).list()).tokens[0]?.role, 'read')
  })

  test('holds what is no register: nothing is said of it, and nothing is changed', async () => {
    const good = {
      name: 'a',
      role: 'read',
      sha256: 'a'.repeat(64),
      created: '2030-01-01T00:00:00Z',
    }
    const texts = [
      'x',
      'null',
      '{}',
      '{"v":2,"closed":true,"tokens":[]}',
      '{"v":1,"closed":true}',
      '{"v":1,"closed":1,"tokens":[]}',
      ...[
        null,
        1,
        good,
        { ...good, expires: 'soon' },
        { ...good, expires: null, role: 'boss' },
      ].map((token) => JSON.stringify({ v: 1, closed: true, tokens: [token] })),
    ]
    for (const text of texts) {
      await using store = await openStore('memory:')
      await store.commit([create(key, Buffer.from(text))])
      const tokens = new Tokens(store)
      for (const ask of [() => tokens.list(), () => tokens.add('b', 'read'), () => tokens.open()])
        await assert.rejects(ask, CorruptDocumentError, text)
      await assert.rejects(tokens.revoke('a'), CorruptDocumentError)
      assert.equal(Buffer.from((await store.get(key))?.value ?? []).toString(), text)
    }
  })

  test('holds what is no register: to revoke all tokens replaces it, and the store stays closed', async () => {
    for (const text of ['x', '', 'null', '{}', '{"v":1,"closed":false}', '{"v":0,"tokens":[1]}']) {
      await using store = await openStore('memory:')
      await store.commit([create(key, Buffer.from(text))])
      const tokens = new Tokens(store)
      assert.deepEqual(await tokens.revokeAll(), { changed: true }, text)
      assert.deepEqual(await tokens.list(), { tokens: [], closed: true })
      assert.deepEqual(await tokens.revokeAll(), { changed: false })
      await tokens.add('a', 'read')
    }
  })

  test('is of a newer release: that alone may revoke its tokens', async () => {
    const text = '{"v":2,"closed":true,"tokens":[]}'
    await using store = await openStore('memory:')
    await store.commit([create(key, Buffer.from(text))])
    await assert.rejects(new Tokens(store).revokeAll(), /A newer Holdfast wrote/)
    assert.equal(Buffer.from((await store.get(key))?.value ?? []).toString(), text)
  })
})

test('roles include each other in their order', () =>
  assert.deepEqual(roles, ['read', 'work', 'admin']))
