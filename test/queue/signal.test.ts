import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { bucketOf } from '../../src/queue/keys.ts'
import { signalShard, signals } from '../../src/queue/signal.ts'
import { settingsOf } from '../../src/queue/worker/options.ts'
import { Sieve } from '../../src/queue/worker/sieve.ts'
import { WideLook } from '../../src/queue/worker/wide-look.ts'
import { counted, create, openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { filled, settled } from './crowd.ts'
import { Bench } from './kit.ts'

describe('beside a crowd, in a store that only lists tell of what is new', () => {
  /** As S3 is: nobody tells of what is new, and a list costs all that lies below its prefix. */
  const deaf = async (): Promise<Store> => {
    const store = await openStore('memory:')
    await filled(store, 1_050)
    return altered(store, { limits: { ...store.limits, watch: 'poll', listCost: 'prefix' } })
  }

  /** How long each of several tasks took from when it could be claimed to its handler. */
  async function startedAfter(submit: (bench: Bench) => Promise<readonly string[]>) {
    await using store = await deaf()
    const watched = counted(store)
    await using bench = new Bench(watched)
    const lateMs = new Map<string, number>()
    await bench.worker({
      idleMsMax: 1_000,
      handlers: {
        t: async (_, { task }) => {
          lateMs.set(task.id, (await store.now()) - Date.parse(task.available_at))
        },
      },
    })
    await settled(watched, 1_000)
    const ids = await submit(bench)
    for (const id of ids) await bench.queue.wait(id)
    return ids.map((id) => lateMs.get(id) as number)
  }

  test('tasks that come within the second of another, once all shards were looked at for that, are found as soon', async () => {
    const lateMs = await startedAfter(async ({ queue }) => {
      const { id } = await queue.submit({ type: 't' })
      await queue.wait(id)
      const others: string[] = []
      for (let nth = 0; nth < 8; nth++) {
        await sleep(100)
        others.push((await queue.submit({ type: 't' })).id)
      }
      return others
    })
    assert.ok(Math.max(...lateMs) < 6_000, `${lateMs}`)
  })

  test('tasks for different minutes that are submitted at once each start on time', async () => {
    const lateMs = await startedAfter(async ({ queue, store }) => {
      const minuteMs = 60_000
      const leftMs = minuteMs - ((await store.now()) % minuteMs)
      const delaysMs = [0, 200, ...Array.from({ length: 6 }, (_, nth) => leftMs + 500 + nth * 100)]
      const submissions = delaysMs.map((delayMs) => ({ type: 't', delayMs }))
      return (await queue.submitMany(submissions)).map(({ id }) => id)
    })
    assert.ok(Math.max(...lateMs) < 6_000, `${lateMs}`)
  })

  test('a signal is seen within a few looks, at whatever time of a minute it comes', async () => {
    await using store = await deaf()
    const idleMs = 5_000
    const settings = settingsOf({ handlers: { t: () => null } })
    const waitsMs: number[] = []
    // At each place in a minute, and in the order of looks.
    for (let phase = 0; phase < 72; phase++) {
      const look = new WideLook(store, settings, new Sieve(settings, () => false))
      // Each has minutes of its own, so that none finds what another has put there.
      let nowMs = (Math.ceil((await store.now()) / 60_000) + 5 * phase) * 60_000 + 500
      const step = async () => {
        const found = await look.take(1, nowMs)
        const pauseMs = look.pauseMs(idleMs)
        nowMs += pauseMs
        return { ids: found.map(({ id }) => id), pauseMs }
      }
      // Once through all of it, and then as an idle worker.
      for (let nth = 0; nth < 90 + Math.floor(phase / 12); nth++) await look.take(1, nowMs)
      for (let nth = 0; nth < phase % 12; nth++) await step()
      let { pauseMs } = await step()
      if (pauseMs < idleMs) pauseMs = (await step()).pauseMs
      assert.equal(pauseMs, idleMs)
      const atMs = nowMs - idleMs / 2
      const id = signalShard(atMs) + randomUUID().slice(1)
      const key = `qo/ready/${id.charAt(0)}/${bucketOf(atMs)}/${id}`
      await store.commit([create(key, new TextEncoder().encode('t'))])
      let foundMs = nowMs
      for (let count = 1; !(await step()).ids.includes(id) && count < 12; count++) foundMs = nowMs
      waitsMs.push(foundMs - atMs)
    }
    assert.ok(Math.max(...waitsMs) <= 3 * idleMs, `${waitsMs}`)
  })
})

test('the first four tasks of a type, and of a minute to start in, are signals in each second', () => {
  const shardOf = signals()
  const minuteMs = 60_000
  const start = 5 * minuteMs
  const areSignals = (type: string, availableMs: number, nowMs: number, count = 6) =>
    Array.from({ length: count }, () => shardOf(type, availableMs, nowMs) !== null)
  const firstFour = [true, true, true, true, false, false]
  assert.deepEqual(areSignals('t', start, start), firstFour)
  assert.deepEqual(areSignals('other', start, start), firstFour)
  assert.deepEqual(areSignals('t', start + minuteMs, start), firstFour, 'of the next minute')
  assert.deepEqual(areSignals('t', start, start + 999, 1), [false])
  assert.deepEqual(areSignals('t', start, start + 1_000), firstFour, 'a second later')
  assert.equal(shardOf('late', start, start + 3 * minuteMs), signalShard(start + 3 * minuteMs))
})

test('beside a crowd, in a store that tells of what is new, no look goes through all of it again', async () => {
  await using inner = await openStore('memory:')
  await filled(inner, 4_000)
  const store = counted(altered(inner, { limits: { ...inner.limits, listCost: 'prefix' } }))
  const settings = settingsOf({ handlers: { t: () => null } })
  const look = new WideLook(store, settings, new Sieve(settings, () => false))
  const now = performance.now.bind(performance)
  try {
    for (let minute = 0; minute < 5; minute++) {
      const prefixes = new Set<string>()
      const list = store.list.bind(store)
      store.list = (prefix, options) => {
        prefixes.add(prefix)
        return list(prefix, options)
      }
      for (let nth = 0; nth < 20; nth++) {
        performance.now = () => now() + minute * 61_000 + nth * 2_000
        await look.take(1, await store.now())
      }
      store.list = list
      assert.equal(prefixes.has('qo/ready'), minute === 0, `in minute ${minute}`)
    }
  } finally {
    performance.now = now
  }
})

test('beside a crowd, in a store that tells of what is new, an idle worker looks once in two seconds', async () => {
  await using inner = await openStore('memory:')
  await filled(inner, 2_000)
  const store = counted(altered(inner, { limits: { ...inner.limits, listCost: 'prefix' } }))
  const settings = settingsOf({ handlers: { t: () => null } })
  const look = new WideLook(store, settings, new Sieve(settings, () => false))
  const now = performance.now.bind(performance)
  let aheadMs = 0
  performance.now = () => now() + aheadMs
  try {
    for (let nth = 0; nth < 20; nth++) await look.take(1, await store.now())
    store.reset()
    for (; aheadMs < 20_000; aheadMs += 100) await look.take(1, await store.now())
    assert.ok(store.counts.list >= 9 && store.counts.list <= 11, `${store.counts.list} lists`)
  } finally {
    performance.now = now
  }
})

test('what a watch names does not wait for a look that takes long', async () => {
  await using inner = await openStore('memory:')
  const lookMs = 2_000
  const slow = altered(inner, {
    limits: { ...inner.limits, listCost: 'prefix' },
    async *list(prefix, options) {
      if (prefix.startsWith('qo/ready')) await sleep(lookMs)
      yield* inner.list(prefix, options)
    },
  })
  await using bench = new Bench(slow)
  await bench.worker({ handlers: { t: () => null }, idleMsMax: 100 })
  const queue = new Queue(inner)
  for (let nth = 0; nth < 5; nth++) {
    await sleep(300)
    const { id } = await queue.submit({ type: 't' })
    const startedAt = performance.now()
    await queue.wait(id)
    // The watch itself begins beside the first look.
    if (nth > 1) assert.ok(performance.now() - startedAt < lookMs / 2)
  }
  await queue.close()
})
