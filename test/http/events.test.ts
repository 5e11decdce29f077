import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { counted, openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { within } from '../rounds.ts'
import { assertLayout } from '../tree/layout.ts'
import { RawConnection } from './raw.ts'
import { Caller, served } from './served.ts'
import { EventReader } from './stream.ts'

onEveryStore('GET /api/events', { check: assertLayout }, (ground) => {
  test('tells of every change through any server on the store, and again from Last-Event-ID', async () => {
    await using one = await served(ground.store)
    await using two = await served(await ground.open())
    const [first, second] = [await Caller.to(one.url), await Caller.to(two.url)]
    await using events = await (await EventReader.open(one.url)).begun()
    const start = events.lastId as string
    const { id } = await second.create({ title: 'x' })
    assert.deepEqual(await events.take(1), ['task.created x'])
    await second.done('POST', `/api/tasks/${id}/claim`, { agent: 'ann' })
    assert.deepEqual(await events.take(1), ['task.claimed x'])
    const middle = events.lastId as string
    await first.done('POST', `/api/tasks/${id}/release`, { agent: 'ann' })
    assert.deepEqual(await events.take(1), ['task.released x'])
    await first.done('PATCH', `/api/tasks/${id}`, { body: { title: 'y' } })
    assert.deepEqual(await events.take(1), ['task.updated y'])
    await new TaskTree(ground.store).delete(id)
    assert.deepEqual(await events.take(1), ['task.deleted y'])
    await using again = await EventReader.open(one.url, middle)
    assert.deepEqual(await again.take(3), ['task.released x', 'task.updated y', 'task.deleted y'])
    await using all = await EventReader.open(one.url, start)
    assert.equal((await all.take(5)).length, 5)
    for (const unknown of ['nonsense', start.replace(/\d+$/, '99999'), '-1']) {
      await using lost = await EventReader.open(one.url, unknown)
      assert.deepEqual(await lost.take(1), ['resync'])
    }
    // Ids mean something to the server only that gave them.
    await using other = await EventReader.open(two.url, middle)
    assert.deepEqual(await other.take(1), ['resync'])
  })
})

test('a connection that nobody has used does not keep a server from ending', () =>
  within(4_000, async (timed) => {
    await using store = await openStore('memory:')
    const serving = await served(store)
    using unused = await RawConnection.to(serving.url)
    // The server has taken it by the time that it answers another.
    await Caller.to(serving.url)
    await timed(() => serving[Symbol.asyncDispose]())
    assert.equal(unused.text, '')
  }))

describe('a stream of events', () => {
  test('ends when the server does, and is let go of when its reader leaves', () =>
    within(4_000, async (timed) => {
      await using store = await openStore('memory:')
      const serving = await served(store)
      const left = await (await EventReader.open(serving.url)).begun()
      await left[Symbol.asyncDispose]()
      await using events = await (await EventReader.open(serving.url)).begun()
      await timed(async () => {
        await serving[Symbol.asyncDispose]()
        assert.equal(await events.block(), null)
      })
    }))

  test('goes on after the store has failed for a while: who comes back hears resync', async () => {
    await using store = counted(await openStore('memory:'))
    const log: string[] = []
    const failing = { on: false }
    const flaky = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target)
        if (name !== 'get' || typeof value !== 'function') return bound(value, target)
        return (key: string) => (failing.on ? Promise.reject(new Error('gone')) : target.get(key))
      },
    })
    await using serving = await served(flaky, { log: (line) => log.push(line) })
    await using events = await (await EventReader.open(serving.url)).begun()
    failing.on = true
    await new TaskTree(store).create({ title: 'missed' })
    assert.equal(await events.block(), null)
    failing.on = false
    assert.match(log[0] ?? '', /^Following the tasks failed, and is begun anew: gone$/)
    for (;;) {
      await using again = await EventReader.open(serving.url, events.lastId)
      const seen = await again.take(1)
      if (seen.length === 0) continue
      assert.deepEqual(seen, ['resync'])
      await new TaskTree(store).create({ title: 'next' })
      assert.deepEqual(await again.take(1), ['task.created next'])
      break
    }
  })
})

const bound = (value: unknown, target: object): unknown =>
  typeof value === 'function' ? value.bind(target) : value
