import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { idMaker } from '../../src/queue/id.ts'
import { indexModes, Monitor, Queue } from '../../src/queue/internal.ts'
import { bucketOf } from '../../src/queue/keys.ts'
import { tagIn, tagOf } from '../../src/queue/type-tag.ts'
import { Finder } from '../../src/queue/worker/finder.ts'
import { settingsOf } from '../../src/queue/worker/options.ts'
import { Sieve } from '../../src/queue/worker/sieve.ts'
import { Strays } from '../../src/queue/worker/strays.ts'
import { counted, create, limited, openStore, type Store } from '../../src/store/index.ts'
import { storeKinds } from '../models/stores.ts'
import { measured } from '../rounds.ts'
import { isSoak, sized } from '../size.ts'
import { filled, settled } from './crowd.ts'
import { Bench } from './kit.ts'

const backlog = sized(4_000, 100_000)
/** S3 takes a request for each object: quick sizes are just too many for one look. */
const sizeOn = (kind: string) => (kind.startsWith('s3') ? sized(1_100, backlog) : backlog)
const idleMsMax = 250
/** Filling a bucket takes a while. */
const testMs = sized(180_000, 3_600_000)
const latencyRounds = sized(7, 51)
const windowMs = sized(2_000, 20_000)

const kinds = ['memory', 'sqlite', 'nats', 's3 (MinIO)']
/** Each mode is much the same on all. */
const modesOn = (kind: string) =>
  indexModes.filter((_, nth) => isSoak || kind === 'memory' || nth === kinds.indexOf(kind) % 3)

/** A task as another tool puts it there: with an entry that may be empty, and an id that tells nothing. */
async function foreign(store: Store, type: string, id: string = randomUUID()): Promise<string> {
  const now = await store.now()
  const at = new Date(now).toISOString()
  const task = { id, task_type: type, shard: id[0], status: 'pending', created_at: at, input: null }
  const bytes = (text: string) => new TextEncoder().encode(text)
  const minute = String(Math.floor(now / 60_000)).padStart(10, '0')
  const taskKey = `qo/tasks/${id[0]}/${id}.json`
  await store.commit([create(taskKey, bytes(JSON.stringify(task)))])
  await store.commit([create(`qo/ready/${id[0]}/${minute}/${id}`, bytes(type))])
  return id
}

/** What an idle worker asks of a store in a while, and how soon it starts what is submitted. */
async function looked(store: Store) {
  const watched = counted(store)
  await using bench = new Bench(watched)
  const started = new Map<string, (at: number) => void>()
  const worker = await bench.worker({
    idleMsMax,
    handlers: { t: () => null },
    onEvent: ({ type, task }) => {
      if (type === 'started') started.get(task.id)?.(performance.now())
    },
  })
  // By now it has looked through all there is, and pauses as long as it ever does.
  await settled(watched, idleMsMax)
  watched.reset()
  await sleep(windowMs)
  const { get, list, scan } = watched.counts
  const requests = get + list + scan
  const queue = new Queue(store)
  const latencies: number[] = []
  for (let nth = 0; nth < latencyRounds; nth++) {
    await sleep(100 + Math.random() * idleMsMax)
    const submittedAt = performance.now()
    const { id } = await queue.submit({ type: 't' })
    const begun = new Promise<number>((resolve) => started.set(id, resolve))
    // It may have begun before its id was known here.
    const at = await Promise.race([begun, queue.wait(id).then(() => performance.now())])
    latencies.push(at - submittedAt)
  }
  await worker.stop()
  latencies.sort((a, b) => a - b)
  const share = (part: number) => latencies[Math.floor(part * (latencyRounds - 1))] as number
  return { requests, get, medianMs: share(0.5), p90Ms: share(0.9), worstMs: share(1) }
}

const shown = ({ medianMs, p90Ms, worstMs }: Awaited<ReturnType<typeof looked>>) =>
  [medianMs, p90Ms, worstMs].map((ms) => Math.round(ms)).join(' / ')

describe('a backlog of another type', () => {
  for (const kind of kinds)
    test(
      `costs an idle worker nothing, and a new task no time, on ${kind}`,
      async () => {
        await using supply = await storeKinds[kind]!()
        await using emptyGround = await supply.next()
        await using empty = await emptyGround.open()
        await using otherSupply = await storeKinds[kind]!()
        await using ground = await otherSupply.next()
        await using store = await ground.open()
        await filled(store, sizeOn(kind))
        await measured(
          // At the same time, so that both find the machine as busy.
          async () => {
            const [without, beside] = await Promise.all([looked(empty), looked(store)])
            return { without, beside }
          },
          ({ without, beside }) =>
            beside.get <= without.get + 2 &&
            beside.requests <= 1.15 * without.requests + 3 &&
            beside.medianMs <= 2 * without.medianMs + 10,
        ).then(({ without, beside }) =>
          process.stdout.write(
            `${kind}, beside ${sizeOn(kind)} tasks of another type: ${beside.requests} requests in ${windowMs} ms ` +
              `(${without.requests} without), started after ${shown(beside)} ms at the median, p90 and worst (${shown(without)} without)\n`,
          ),
        )
      },
      testMs,
    )

  for (const kind of kinds)
    for (const indexMode of modesOn(kind))
      test(`hides no task of other tools, of a caller's id or that is late: ${kind}, ${indexMode}`, async () => {
        await using supply = await storeKinds[kind]!()
        await using ground = await supply.next()
        await using store = await ground.open()
        await filled(store, kind.startsWith('s3') ? 1_100 : 2_500)
        for (let nth = 0; nth < 40; nth++) await foreign(store, 'theirs')
        await using bench = new Bench(store)
        const before = [
          await foreign(store, 'mine'),
          (await bench.queue.submit({ type: 'mine', id: randomUUID() })).id,
          (await bench.queue.submit({ type: 'mine' })).id,
          (await bench.queue.submit({ type: 'mine', delayMs: 3_000 })).id,
        ]
        let isFirst = true
        await bench.worker({
          indexMode,
          idleMsMax: 100,
          handlers: {
            mine: () => {
              if (isFirst) {
                isFirst = false
                throw new Error('once more')
              }
              return null
            },
            also: () => null,
          },
        })
        for (const id of before) await bench.until(id, ({ status }) => status === 'completed')
        const after = [
          await foreign(store, 'also'),
          (await bench.queue.submit({ type: 'also', delayMs: 2_000 })).id,
          ...(
            await bench.queue.submitMany(Array.from({ length: 20 }, () => ({ type: 'mine' })))
          ).map(({ id }) => id),
        ]
        for (const id of after) await bench.until(id, ({ status }) => status === 'completed')
      })

  for (const kind of kinds)
    test(`of ids that do not tell their type is not read task by task, nor holds it up new ones: ${kind}`, async () => {
      await using supply = await storeKinds[kind]!()
      await using ground = await supply.next()
      await using inner = await ground.open()
      const isBucket = kind.startsWith('s3')
      const count = isBucket ? 1_100 : backlog
      const filler = new Queue(inner)
      for (let at = 0; at < count; at += 1_000)
        await filler.submitMany(
          Array.from({ length: Math.min(1_000, count - at) }, () => ({
            type: 'backlog',
            id: randomUUID(),
          })),
        )
      const store = counted(inner)
      await using bench = new Bench(store)
      const read = new Set<string>()
      const get = store.get.bind(store)
      store.get = (key) => {
        if (key.startsWith('qo/tasks')) read.add(key)
        return get(key)
      }
      await bench.worker({ idleMsMax, indexMode: 'index-only', handlers: { t: () => null } })
      // While it looks through all of it, and later.
      for (const id of [undefined, randomUUID(), undefined, randomUUID()]) {
        const submittedAt = performance.now()
        const submitted = await filler.submit(id === undefined ? { type: 't' } : { type: 't', id })
        read.delete(`qo/tasks/${submitted.id.charAt(0)}/${submitted.id}.json`)
        await filler.wait(submitted.id)
        const tookMs = performance.now() - submittedAt
        assert.ok(tookMs < 10_000, `${tookMs} ms`)
        // For a minute after it found something, a worker on a bucket makes two lists a look.
        await settled(store, idleMsMax, isBucket ? 2 : undefined)
      }
      await filler.close()
      assert.ok(read.size < 100, `${read.size} tasks were read`)
    })

  test('does not hold up a worker of twenty types, nor one of a few shards', async () => {
    await using supply = await storeKinds['memory']!()
    await using ground = await supply.next()
    await using inner = await ground.open()
    const store = counted(inner)
    await filled(store, backlog)
    await using bench = new Bench(store)
    const types = Array.from({ length: 20 }, (_, nth) => `type-${nth}`)
    const handlers = Object.fromEntries(types.map((type) => [type, () => null]))
    await bench.worker({ handlers, shards: ['0', '1', '2', '3', '4', '5', '6', '7'] })
    await bench.worker({ handlers, shards: ['8', '9', 'a', 'b', 'c', 'd', 'e', 'f'] })
    const ids = (await bench.queue.submitMany(types.map((type) => ({ type })))).map(({ id }) => id)
    await Promise.all(ids.map((id) => bench.queue.wait(id)))
    assert.ok(store.counts.get < 1_000, `${store.counts.get} gets`)
  })
})

describe('the id of a task', () => {
  test('tells its type, if it was made here', () => {
    const newId = idMaker()
    for (const type of ['t', 'send_email', 'été', '🚢'.repeat(50)]) {
      const id = newId({ timeMs: Date.now(), type })
      assert.equal(tagIn(id), tagOf(type))
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    for (let nth = 0; nth < 1_000; nth++) assert.equal(tagIn(randomUUID()), null)
    const shards = new Set(Array.from({ length: 500 }, () => newId({ timeMs: 1, type: 't' })[0]))
    assert.equal(shards.size, 16)
  })

  test('that tells another type than the task has does not hide it', async () => {
    await using supply = await storeKinds['memory']!()
    await using ground = await supply.next()
    await using open = await ground.open()
    for (const store of [open, limited(open, 1)]) {
      await using bench = new Bench(store)
      const id = idMaker()({ timeMs: Date.now(), type: 'another' })
      await bench.queue.submit({ type: 'mine', id })
      const strays = async () => {
        const keys: string[] = []
        for await (const { key } of store.list('qo/holdfast')) keys.push(key)
        return keys
      }
      const minute = bucketOf(Date.parse((await bench.queue.get(id)).available_at))
      assert.deepEqual(await strays(), [`qo/holdfast/strays/${tagOf('mine')}/${minute}/${id}`])
      const settings = settingsOf({ handlers: { mine: () => null } })
      const finder = new Finder(store, settings, () => false)
      const now = performance.now.bind(performance)
      performance.now = () => now() + 60_000
      try {
        assert.deepEqual(
          (await finder.next(1, Date.now() + 1_000)).map((each) => each.id),
          [id],
        )
      } finally {
        performance.now = now
      }
      await bench.queue.cancel(id)
      assert.deepEqual(await strays(), [])
    }
  })

  test('is found by an entry as an earlier release wrote it, until a sweep puts that right', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const id = idMaker()({ timeMs: Date.now(), type: 'another' })
    await foreign(store, 'mine', id)
    await bench.put(`qo/holdfast/strays/${id}`, '')
    const settings = settingsOf({ handlers: { mine: () => null } })
    const sieve = new Sieve(settings, () => false)
    const found = async () =>
      (await new Strays(store, settings, sieve).look(Date.now())).map((each) => each.id)
    assert.deepEqual(await found(), [id])
    await new Monitor(store, { graceMs: 0 }).sweep()
    const keys: string[] = []
    for await (const { key } of store.list('qo/holdfast')) keys.push(key.replace(/\d{10}/, 'M'))
    assert.deepEqual(keys, [`qo/holdfast/strays/${tagOf('mine')}/M/${id}`])
    assert.deepEqual(await found(), [id])
  })
})
