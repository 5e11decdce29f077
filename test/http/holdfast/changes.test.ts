import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { KnownTokens } from '../../../src/access/index.ts'
import { ChangesHub } from '../../../src/http/changes/hub.ts'
import { pendingMax } from '../../../src/http/changes/listener.ts'
import type { Hint } from '../../../src/http/changes/source.ts'
import { changesTable } from '../../../src/http/changes/table.ts'
import { serve } from '../../../src/http/serving.ts'
import { TaskList } from '../../../src/list/index.ts'
import { counted, openStore, type Store } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { within } from '../../rounds.ts'
import { RawConnection, request } from '../raw.ts'
import { Caller } from '../served.ts'
import { opened, servedAll } from './served.ts'
import { Stream } from './stream.ts'

describe('the stream of changes', () => {
  test('costs one watch for each model, however many listen, and none when nobody does', async () => {
    await using store = counted(await openStore('memory:'))
    await using serving = await servedAll(store)
    const before = store.counts.watch
    const streams = await Promise.all(Array.from({ length: 30 }, () => Stream.open(serving.url)))
    for (const stream of streams) assert.equal((await stream.next())?.event, 'resync')
    assert.equal(store.counts.watch - before, 5)
    const { id } = await new TaskList(store).add('x')
    for (const stream of streams)
      assert.deepEqual(await stream.next(), { event: 'change', data: { model: 'list', id } })
    const metrics = await (await fetch(`${serving.url}/metrics`)).text()
    assert.match(metrics, /^holdfast_changes_clients 30$/m)
    for (const stream of streams) await stream[Symbol.asyncDispose]()
    assert.equal(store.counts.watch - before, 5)
  })

  test('tells of one thing that goes on changing less often than it changes', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const list = new TaskList(store)
    const { id } = await list.add('x')
    await using stream = await Stream.open(serving.url, { models: 'list' })
    assert.equal((await stream.next())?.event, 'resync')
    for (let n = 0; n < 200; n++) await list.update(id, { done: n % 2 === 0 })
    const last = await list.add('last')
    let heard = 0
    await stream.until(({ data }) => {
      heard++
      return data.id === last.id
    })
    assert.ok(heard < 100, `${heard} events`)
  })

  test('ends with the server, and a server that ends does not wait for its readers', () =>
    within(4_000, async (timed) => {
      await using store = await openStore('memory:')
      const serving = await servedAll(store)
      await using stream = await Stream.open(serving.url)
      assert.equal((await stream.next())?.event, 'resync')
      await timed(async () => {
        await serving[Symbol.asyncDispose]()
        assert.equal(await stream.next(), null)
      })
    }))

  test('a watch that fails is begun anew, and whoever listens hears resync', async () => {
    await using store = await openStore('memory:')
    const state = { fail: () => {} }
    const log: string[] = []
    await using serving = await servedAll(breakable(store, state), {
      log: (line) => log.push(line),
    })
    await using stream = await Stream.open(serving.url, { models: 'list' })
    assert.equal((await stream.next())?.event, 'resync')
    state.fail()
    await new TaskList(store).add('missed')
    assert.equal((await stream.next())?.event, 'resync')
    assert.match(log.join('\n'), /^Following the list failed, and is begun anew: gone$/m)
    const { id } = await new TaskList(store).add('heard')
    assert.equal((await stream.until(({ event }) => event === 'change')).data.id, id)
  })

  test('unknown models, and words that are none, are INVALID_QUERY; HEAD has no end to wait for', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const query of ['models=all', 'models=', 'models=queue,,list', 'model=queue'])
      await api.refused(['GET', `/api/changes?${query}`], 'INVALID_QUERY')
    const head = await fetch(`${serving.url}/api/changes`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  test('hears of what another server does to the same store', async () => {
    await using store = await openStore('memory:changes-shared')
    await using other = await openStore('memory:changes-shared')
    await using here = await servedAll(store)
    await using there = await servedAll(other)
    await using stream = await Stream.open(here.url, { models: 'tree' })
    assert.equal((await stream.next())?.event, 'resync')
    const task = await (await Caller.to(there.url)).create({ title: 'x' })
    const { data } = await stream.until(({ event }) => event === 'change')
    assert.deepEqual(data, { model: 'tree', id: task.id })
  })
})

/** A store whose first watch of the list can be made to fail. */
function breakable(store: Store, state: { fail: () => void }): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'watch') return value.bind(target)
      return (prefix: string, signal: AbortSignal) =>
        prefix === 'utask_tasks' ? failable(target, prefix, signal) : target.watch(prefix, signal)
    },
  })
  async function* failable(target: Store, prefix: string, signal: AbortSignal) {
    const ending = new AbortController()
    state.fail = () => ending.abort()
    yield* target.watch(prefix, AbortSignal.any([signal, ending.signal]))
    if (!signal.aborted) throw new Error('gone')
  }
}

describe('one who listens', () => {
  test('and is slow is told to read all again, and keeps nobody else waiting', async () => {
    const published = { count: 0 }
    await using hub = new ChangesHub({ one: (signal) => flood(signal, published) }, () => {})
    const ending = new AbortController()
    const slow = hub.follow(['one'], ending.signal)
    assert.deepEqual(await slow.next(), { value: 'resync', done: false })
    const fast = hub.follow(['one'], ending.signal)
    await fast.next()
    for (let n = 0; n < 1000; n++) await fast.next()
    await until(() => published.count >= 100 * pendingMax)
    const seen: unknown[] = []
    for (let n = 0; n < 3; n++) seen.push((await slow.next()).value)
    assert.ok(seen.includes('resync'), JSON.stringify(seen))
    ending.abort()
    await slow.return(undefined)
    await fast.return(undefined)
  })

  test('and does not read at all costs nothing but what waits in its socket', async () => {
    const published = { count: 0 }
    const hub = new ChangesHub(
      { one: (signal) => flood(signal, published, 'x'.repeat(400)) },
      () => {},
    )
    const api = { ...nothing, tables: [changesTable(hub, ['one'])] }
    await using store = await openStore('memory:')
    const tokens = new KnownTokens(store)
    const options = { port: 0, tokens, log: () => {}, bodyBytesMax: 1000 }
    await using serving = await serve(api, [hub], options)
    using slow = await RawConnection.to(serving.url)
    slow.write(request('GET /api/changes'))
    while (!slow.text.includes('event: resync')) await once(slow.socket, 'data')
    slow.socket.pause()
    // Far more than the socket holds, and all of it goes by another who reads.
    await using fast = await Stream.open(serving.url)
    const events = 40_000
    const end = published.count + events
    await fast.until(({ data }) => Number(/\d+$/.exec(data.id ?? '0')?.[0]) >= end)
    const before = slow.text.length
    slow.socket.resume()
    while (!slow.text.slice(before).includes('event: resync')) await once(slow.socket, 'data')
    assert.ok(slow.text.length < (events * 400) / 2, `${slow.text.length} bytes were kept for it`)
  })

  test('on a quiet stream hears again and again that it stands', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { keepAliveMs: 30 })
    using quiet = await RawConnection.to(serving.url)
    quiet.write(request('GET /api/changes'))
    const beats = () => quiet.text.split(': still here\n\n').length - 1
    while (beats() < 3) await once(quiet.socket, 'data')
    assert.equal(quiet.text.split('event:').length - 1, 1, 'nothing but the first resync')
  })

  test('hears resync also where the store says nothing', () =>
    within(5_000, async (timed) => {
      await using hub = new ChangesHub({ one: silence }, () => {})
      const ending = new AbortController()
      const follow = hub.follow(['one'], ending.signal)
      assert.deepEqual(await timed(() => follow.next()), { value: 'resync', done: false })
      ending.abort()
      await follow.return(undefined)
    }))
})

/** An API without anything. */
const nothing = {
  title: 'x',
  about: 'x',
  version: '0',
  schemas: {},
  statuses: {},
  explain: () => null,
}

/** More and more documents, faster than anybody reads. */
async function* flood(
  signal: AbortSignal,
  published: { count: number },
  prefix = '',
): AsyncGenerator<Hint> {
  yield { type: 'resync' }
  while (!signal.aborted) {
    for (let n = 0; n < 100; n++) yield { type: 'document', id: `${prefix}${published.count++}` }
    await sleep(1)
  }
}

/** Never says anything. */
async function* silence(signal: AbortSignal): AsyncGenerator<Hint> {
  await sleep(60_000, undefined, { signal }).catch(() => {})
}
