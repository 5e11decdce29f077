import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Throttle } from '../../src/http/throttle.ts'
import { openStore } from '../../src/store/index.ts'
import { type Answer, ask, codeIn } from './ask.ts'
import { servedAll } from './holdfast/served.ts'
import { bearer } from './named/bearers.ts'
import { served } from './served.ts'

describe('the throttle', () => {
  /** A clock that a test sets. */
  function throttleAt(start = 1_000_000) {
    const clock = { now: start }
    return { clock, throttle: new Throttle(() => clock.now) }
  }

  const waits = (throttle: Throttle, count: number, address = '203.0.113.7') =>
    Array.from({ length: count }, () => throttle.attempt(address)?.waitMs ?? null)

  test('lets ten pass, then one a second', () => {
    const { throttle, clock } = throttleAt()
    assert.deepEqual(waits(throttle, 10), Array(10).fill(null))
    assert.deepEqual(waits(throttle, 4), [0, 1_000, 2_000, 3_000])
    clock.now += 10_000
    assert.deepEqual(waits(throttle, 2), [0, 1_000])
  })

  test('forgets after a minute without', () => {
    const { throttle, clock } = throttleAt()
    waits(throttle, 12)
    clock.now += 59_999
    assert.deepEqual(waits(throttle, 1), [0])
    clock.now += 60_000
    assert.deepEqual(waits(throttle, 1), [null])
  })

  test('says when trying again makes sense', () => {
    const { throttle, clock } = throttleAt()
    waits(throttle, 10)
    clock.now += 20_000
    assert.equal(throttle.attempt('203.0.113.7')?.error.headers['Retry-After'], '40')
  })

  test('counts each address by itself, and an IPv6 network as one', () => {
    const { throttle } = throttleAt()
    waits(throttle, 20)
    assert.deepEqual(waits(throttle, 1, '203.0.113.8'), [null])
    for (let nth = 0; nth < 10; nth++) waits(throttle, 1, `2001:db8::${nth}`)
    assert.deepEqual(waits(throttle, 1, '2001:db8::ffff'), [0])
    assert.deepEqual(waits(throttle, 1, '2001:db8:0:1::1'), [null])
  })

  test('lets a bounded number wait: who comes later is answered at once, and last', () => {
    const { throttle } = throttleAt()
    waits(throttle, 10)
    const all = Array.from({ length: 40 }, () => throttle.attempt('203.0.113.7'))
    assert.equal(Math.max(...all.map((each) => each?.waitMs ?? 0)), 29_000)
    for (const each of all.slice(30)) {
      assert.equal(each?.waitMs, 0)
      assert.equal(each?.error.headers['Connection'], 'close')
    }
  })

  test('remembers a bounded number of addresses: those that came last', () => {
    const { throttle } = throttleAt()
    const before = process.memoryUsage().heapUsed
    waits(throttle, 10, '192.0.2.1')
    for (let nth = 0; nth < 200_000; nth++)
      throttle.attempt(`10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`)
    assert.ok(process.memoryUsage().heapUsed - before < 50_000_000)
    assert.deepEqual(waits(throttle, 1, '192.0.2.1'), [null])
  })

  test('answers all who wait when the server ends', () => {
    const { throttle } = throttleAt()
    let answered = 0
    for (let nth = 0; nth < 5; nth++) throttle.after(60_000, () => answered++)
    throttle[Symbol.dispose]()
    assert.equal(answered, 5)
  })
})

const servers = { 'coven serve': served, 'holdfast serve': servedAll }

for (const [name, start] of Object.entries(servers))
  describe(`${name}, asked with wrong tokens`, () => {
    const token = 'the-right-token-of-this-server'
    const opened = async (options = {}) => {
      const store = await openStore('memory:')
      const serving = await start(store, { token, ...options })
      const { port } = new URL(serving.url)
      return {
        ask: (given: string | null, headers = {}): Promise<Answer> => {
          const authorization = given === null ? {} : { Authorization: given }
          const all = { Host: 'localhost', ...authorization, ...headers }
          return ask({ port, path: '/api/tasks', headers: all })
        },
        [Symbol.asyncDispose]: async () => {
          await serving[Symbol.asyncDispose]()
          await store[Symbol.asyncDispose]()
        },
      }
    }

    test('answers ten with 401, more with 429 and one a second; the right one at once', async () => {
      await using server = await opened()
      for (let nth = 0; nth < 10; nth++)
        assert.equal((await server.ask(`Bearer guess-${nth}`)).status, 401)
      const from = performance.now()
      const times: number[] = []
      const guesses = Array.from({ length: 4 }, async () => {
        const answer = await server.ask('Bearer another')
        times.push(performance.now() - from)
        assert.deepEqual([answer.status, codeIn(answer)], [429, 'TOO_MANY_ATTEMPTS'])
        assert.match(answer.headers['retry-after'] as string, /^\d+$/)
      })
      const right = await server.ask(`Bearer ${token}`)
      assert.equal(right.status, 200)
      assert.ok(times.length < 4, 'the right token did not wait for those before it')
      await Promise.all(guesses)
      for (const [nth, ms] of times.entries()) assert.ok(ms >= nth * 1_000 - 50, `${times}`)
    })

    test('of the store as of its own: the right one works at once', async () => {
      await using store = await openStore('memory:')
      const named = await bearer(store, 'ci', 'read')
      await using serving = await start(store)
      const { port } = new URL(serving.url)
      const statusOf = async (headers: Record<string, string>) =>
        (await ask({ port, path: '/api/tasks', headers })).status
      const wrong = { Authorization: `${named.Authorization}x` }
      for (let nth = 0; nth < 10; nth++) assert.equal(await statusOf(wrong), 401)
      assert.equal(await statusOf(wrong), 429)
      const another = statusOf(wrong)
      assert.equal(await Promise.race([statusOf(named), another]), 200)
      assert.equal(await another, 429)
    })

    test('does not count requests without any', async () => {
      await using server = await opened()
      for (let nth = 0; nth < 30; nth++)
        assert.equal(
          (await server.ask([null, '', 'Bearer', 'Bearer '][nth % 4] ?? null)).status,
          401,
        )
      assert.equal((await server.ask('Bearer wrong')).status, 401)
      for (let nth = 0; nth < 9; nth++) await server.ask('Basic d3Jvbmc6d3Jvbmc=')
      assert.equal((await server.ask('Bearer wrong')).status, 429)
      // Who has none is told so, as before.
      assert.equal((await server.ask(null)).status, 401)
    })

    test('heeds X-Forwarded-For only where a proxy is trusted', async () => {
      await using plain = await opened()
      for (let nth = 0; nth < 10; nth++)
        await plain.ask('Bearer wrong', { 'X-Forwarded-For': `203.0.113.${nth}` })
      assert.equal((await plain.ask('Bearer wrong')).status, 429)
      await using proxied = await opened({ trustsProxy: true })
      for (let nth = 0; nth < 10; nth++)
        await proxied.ask('Bearer wrong', { 'X-Forwarded-For': `198.51.100.${nth}, 203.0.113.7` })
      const status = async (forwarded: string) =>
        (await proxied.ask('Bearer wrong', { 'X-Forwarded-For': forwarded })).status
      assert.equal(await status('203.0.113.7'), 429)
      assert.equal(await status('203.0.113.8'), 401)
    })

    test('ends at once, though some wait for their answer', async () => {
      const server = await opened()
      for (let nth = 0; nth < 10; nth++) await server.ask('Bearer wrong')
      // The last of them would be answered after so many seconds.
      const waiting = Array.from({ length: 25 }, () => server.ask('Bearer wrong'))
      await waiting[0]
      // All of them have been read by then, and none but the first is answered, so there is no event.
      await sleep(500)
      const from = performance.now()
      await server[Symbol.asyncDispose]()
      assert.ok(performance.now() - from < 15_000)
      assert.deepEqual(
        new Set((await Promise.all(waiting)).map(({ status }) => status)),
        new Set([429]),
      )
    })
  })
