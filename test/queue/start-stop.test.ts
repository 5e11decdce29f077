import assert from 'node:assert/strict'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Monitor, Queue, Worker } from '../../src/queue/index.ts'
import { openStore, type Store, StoreError } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { onEveryStore } from '../models/stores.ts'
import { type NatsServer, startNats } from '../servers/nats.ts'
import { altered } from '../store/altered.ts'
import { deferred } from './kit.ts'
import { assertLayout } from './layout.ts'

const pairs = 40

/** A store that knows how many watches on it have begun and not ended. */
function watched(store: Store): { readonly store: Store; open: number } {
  const counted = {
    open: 0,
    store: altered(store, {
      watch: async function* (prefix, signal) {
        counted.open++
        try {
          yield* store.watch(prefix, signal)
        } finally {
          counted.open--
        }
      },
    }),
  }
  return counted
}

/** From stopping at once to stopping when the worker listens. */
async function pause(pair: number): Promise<void> {
  if (pair % 3 === 0) await sleep(pair / 2)
  else for (let turn = 0; turn < pair % 8; turn++) await nextTurn()
}

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

async function startAndStop(store: Store, pair: number): Promise<void> {
  const worker = new Worker(store, { id: 'w', handlers: { t: () => null } })
  const starting = worker.start()
  if (pair % 2 === 0) await starting
  await pause(pair)
  await worker.stop()
  await starting
}

onEveryStore('starting and stopping', { check: assertLayout }, (ground) => {
  test(`a worker that has stopped watches nothing, whenever it was stopped: ${pairs} times`, async () => {
    const counted = watched(ground.store)
    const before = timers()
    const warnings: string[] = []
    const onWarning = ({ name }: Error) => warnings.push(name)
    process.on('warning', onWarning)
    for (let pair = 0; pair < pairs; pair++) {
      await startAndStop(counted.store, pair)
      assert.equal(counted.open, 0, `after pair ${pair}`)
    }
    await nextTurn()
    process.off('warning', onWarning)
    assert.deepEqual(warnings, [])
    await eventually(() => assert.ok(timers() <= before, `${timers()} timers, ${before} before`))
  })

  test('a monitor that has stopped leaves no timer, however often it was started', async () => {
    const before = timers()
    for (let pair = 0; pair < pairs; pair++) {
      const monitor = new Monitor(ground.store)
      monitor.start()
      const once = timers()
      monitor.start()
      assert.equal(timers(), once, 'a second start changes nothing')
      await pause(pair)
      await monitor.stop()
      monitor.start()
    }
    await eventually(() => assert.ok(timers() <= before, `${timers()} timers, ${before} before`))
  })
})

describe('on a store that goes away', () => {
  test('a look that fails after everybody has left is not repeated', async () => {
    await using store = await openStore('memory:')
    let answer = () => {}
    const isAsked = deferred()
    const away = altered(store, {
      get: async () => {
        isAsked.resolve()
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        throw new StoreError('down', 'The store is away.', 'Wait.')
      },
    })
    const queue = new Queue(away)
    const { id } = await new Queue(store).submit({ type: 't' })
    const before = timers()
    const end = new AbortController()
    const waiting = queue.wait(id, { signal: end.signal })
    await isAsked.promise
    end.abort()
    await assert.rejects(waiting)
    await queue.close()
    answer()
    await nextTurn()
    assert.equal(timers(), before)
  })
})

describe('on a NATS server', () => {
  test('workers that have stopped leave no consumer', async () => {
    await using server = await startNats({ oneProcessor: true })
    await using store = await openStore(server.url)
    for (let pair = 0; pair < pairs; pair++) await startAndStop(store, pair)
    assert.equal(await consumersOf(server), 0)
  })

  test('nobody who has followed, or waited for, a task leaves a consumer', async () => {
    await using server = await startNats({ oneProcessor: true })
    await using store = await openStore(server.url)
    const queue = new Queue(store)
    const { id } = await queue.submit({ type: 't' })
    for (let pair = 0; pair < pairs; pair++) {
      const end = new AbortController()
      const { signal } = end
      const reading = [
        queue.wait(id, { signal }),
        readAll(queue.follow({ signal })),
        readAll(queue.changes(signal)),
      ]
      await pause(pair)
      end.abort()
      await Promise.allSettled(reading)
    }
    await queue.close()
    assert.equal(await consumersOf(server), 0)
  })
})

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

async function consumersOf(server: NatsServer): Promise<number> {
  const { consumers } = await server.monitor<{ consumers: number }>('jsz')
  return consumers
}
