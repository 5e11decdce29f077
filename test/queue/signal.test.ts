import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { idMaker } from '../../src/queue/id.ts'
import { Queue } from '../../src/queue/index.ts'
import { bucketOf } from '../../src/queue/keys.ts'
import { Repository } from '../../src/queue/repository.ts'
import { signalShard, signals } from '../../src/queue/signal.ts'
import { NarrowLook } from '../../src/queue/worker/narrow-look.ts'
import { type Settings, settingsOf } from '../../src/queue/worker/options.ts'
import { Sieve } from '../../src/queue/worker/sieve.ts'
import { Strays } from '../../src/queue/worker/strays.ts'
import { WideLook } from '../../src/queue/worker/wide-look.ts'
import { counted, create, openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { filled, settled } from './crowd.ts'
import { Bench, soon } from './kit.ts'

function lookAt(store: Store, settings: Settings): WideLook {
  const sieve = new Sieve(settings, () => false)
  return new WideLook(store, settings, sieve, new Strays(store, settings, sieve))
}

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
      const look = lookAt(store, settings)
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
      for (let more = 0; pauseMs < idleMs && more < 6; more++) pauseMs = (await step()).pauseMs
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

test('beside a crowd, in a store that only lists tell of what is new, a task that has no signal is seen within a few looks', async () => {
  await using inner = await openStore('memory:')
  await filled(inner, 1_050)
  const limits = { ...inner.limits, watch: 'poll', listCost: 'prefix' } as const
  const store = altered(inner, { limits })
  await using bench = new Bench(inner)
  const { queue } = bench
  const settings = settingsOf({ handlers: { t: () => null } })
  const idleMs = 5_000
  const failure = { leaseId: '11111111-1111-4111-8111-111111111111', random: 0 }
  const again = async (id: string, command: 'fail' | 'requeue' | 'expire') => {
    const repository = new Repository(inner, () => {})
    const nowMs = (await inner.now()) + 1_000
    await repository.change(id, ['claim', { workerId: 'w', ...failure, nowMs, leaseMs: 1_000 }])
    if (command === 'expire')
      await repository.change(id, ['expire', { nowMs: nowMs + 2_000, random: 0 }])
    else if (command === 'requeue') await repository.change(id, ['requeue', { ...failure, nowMs }])
    else await repository.change(id, ['fail', { ...failure, nowMs, error: 'no' }])
  }
  const submit = async (more = {}) => (await queue.submit({ type: 't', ...more })).id
  const ways: Record<string, () => Promise<string>> = {
    'with an id of its own': () => submit({ id: randomUUID() }),
    'with an id that tells another type': () =>
      submit({ id: idMaker()({ timeMs: Date.now(), type: 'another' }) }),
    replayed: async () => {
      const id = await submit({ delayMs: 600_000 })
      await queue.cancel(id)
      // Later than its id says, which may be some milliseconds ahead after many were made; as it is in any bucket.
      await sleep(5)
      await queue.replay(id)
      return id
    },
    'given back': async () => {
      const id = await submit()
      await again(id, 'requeue')
      return id
    },
    'that failed once': async () => {
      const id = await submit({ retryPolicy: soon })
      await again(id, 'fail')
      return id
    },
    'taken back from a dead worker': async () => {
      const id = await submit({ retryPolicy: soon })
      await again(id, 'expire')
      return id
    },
  }
  for (const [what, make] of Object.entries(ways)) {
    const look = lookAt(store, settings)
    let nowMs = (await inner.now()) + 10_000
    for (let nth = 0; nth < 150; nth++) await look.take(1, nowMs)
    const id = await make()
    let [foundMs, isFound] = [0, false]
    for (let count = 0; !isFound && count < 20; count++) {
      isFound = (await look.take(1, nowMs)).some((each) => each.id === id)
      if (isFound) break
      const pauseMs = look.pauseMs(idleMs)
      foundMs += pauseMs
      nowMs += pauseMs
    }
    assert.ok(isFound && foundMs <= 2.1 * idleMs, `a task ${what} after ${foundMs} ms`)
    await queue.cancel(id)
    // From then on beside a backlog without tags, too.
    if (what === 'with an id of its own')
      for (let nth = 0; nth < 1_100; nth++) await queue.submit({ type: 'others', id: randomUUID() })
  }
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
  const look = new NarrowLook(store, settings, new Sieve(settings, () => false))
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
      assert.ok(!prefixes.has('qo/ready'), `in minute ${minute}`)
      const whole = [...prefixes].filter((each) => each.split('/').length === 3)
      assert.ok(whole.length <= (minute === 0 ? 16 : 1), `${whole}`)
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
  const look = new NarrowLook(store, settings, new Sieve(settings, () => false))
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
  const lookMs = 5_000
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
