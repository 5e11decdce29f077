import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, test } from 'vitest'
import { Monitor, Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { subjectOf } from '../../src/store/drivers/nats/subject.ts'
import { loadEngine } from '../../src/store/drivers/sqlite/engine.ts'
import { counted, openStore, remove, type Store, type Write } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { startS3Proxy } from '../proxy/s3-proxy.ts'
import { startNats } from '../servers/nats.ts'
import { sharedMinio } from '../servers/shared.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { patiently, s3Bucket } from '../store/s3/ground.ts'
import { Bench } from './kit.ts'

/** A store, and another tool that writes to it what it likes. */
interface Place extends AsyncDisposable {
  readonly store: Store
  put(key: string, value: Uint8Array): Promise<void>
  /** What else this store may hold that can't be served. */
  readonly more?: Flaws
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  sqlite: async () => {
    const folder = await temporaryFolder()
    const store = await openStore(`sqlite:${folder.path('queue.db')}`)
    return {
      store,
      put: async (key, value) => {
        const database = loadEngine().open(folder.path('queue.db'), { readOnly: false })
        database.prepare('INSERT INTO entry (key, value) VALUES (?, ?)').run(key, value)
        database.close()
      },
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]()
        await folder[Symbol.asyncDispose]()
      },
    }
  },
  nats: async () => {
    const server = await startNats({ config: { max_payload: 8_000_000 } })
    const store = await openStore(`${server.url}?timeout_ms=60000`)
    // So that the bucket is there.
    await new Queue(store).submit({ type: 'other', delayMs: 86_400_000 })
    const nats = await connect({ servers: server.url.replace('nats://', '') })
    return {
      store,
      put: async (key, value) => {
        await jetstream(nats).publish(subjectOf(key), value)
      },
      [Symbol.asyncDispose]: async () => {
        await nats.close()
        await store[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  },
  's3 (MinIO)': async () => {
    const { account, bucket, open } = await s3Bucket(sharedMinio())
    const proxy = await startS3Proxy(account.endpoint)
    const store = await open('bad', { endpoint: proxy.endpoint, more: patiently })
    const path = (key: string) => `/${bucket}/bad/${key.slice('qo/'.length)}`
    return {
      store,
      put: async (key, value) => {
        const { ok } = await account.request(path(key), { method: 'PUT', body: Buffer.from(value) })
        assert.ok(ok)
      },
      more: {
        gigantic: written((task) => ({ ...task, input: 'x'.repeat(17_000_000) })),
        'forbidden by a policy': (given) => {
          proxy.forbidden.add(path(keyOf(given.id)))
          return bytes(JSON.stringify(foreign(given)))
        },
      },
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]()
        await proxy[Symbol.asyncDispose]()
      },
    }
  },
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

type Flaws = Readonly<Record<string, (given: Given) => Uint8Array>>

interface Given {
  readonly id: string
  readonly status: 'pending' | 'running'
}

const past = new Date(Date.now() - 3_600_000).toISOString()

/** What another tool may write, well-formed. */
const foreign = ({ id, status }: Given) => ({
  id,
  task_type: 't',
  status,
  created_at: past,
  available_at: past,
  input: null as unknown,
  max_retries: 0,
  ...(status === 'running' && { lease_expires_at: past, lease_id: randomUUID(), worker_id: 'w' }),
})

const written =
  (change: (task: ReturnType<typeof foreign>) => unknown) =>
  (given: Given): Uint8Array =>
    bytes(JSON.stringify(change(foreign(given))))

/** What can't be served, by what is wrong with it. */
const flaws: Flaws = {
  'far too large': written((task) => ({ ...task, input: 'x'.repeat(1_500_000) })),
  'too large once it is claimed': (given) => {
    const task = { ...foreign(given), input: '' }
    const room = 1_000_000 - JSON.stringify(task).length
    return bytes(JSON.stringify({ ...task, input: 'x'.repeat(room - 10) }))
  },
  garbage: () => bytes('garbage'),
  'cut off': (given) => bytes(JSON.stringify(foreign(given)).slice(0, -20)),
  'no UTF-8': () => new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
  'a list': () => bytes('[1,2,3]'),
  'without a type': written(({ task_type, ...task }) => task),
  'of another id': written((task) => ({ ...task, id: randomUUID() })),
  'with a timeout beyond all times': written((task) => ({ ...task, timeout_seconds: 1e300 })),
  'nested very deeply': (given) =>
    bytes(
      JSON.stringify(foreign(given)).replace(
        '"input":null',
        `"input":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      ),
    ),
  empty: () => new Uint8Array(),
}

const minute = String(Math.floor(Date.parse(past) / 60_000)).padStart(10, '0')
const keyOf = (id: string): string => `qo/tasks/${id.charAt(0)}/${id}.json`
const entryOf = (prefix: string, id: string): string =>
  `qo/${prefix}/${id.charAt(0)}/${minute}/${id}`

/** One pending and one running task for each flaw, with their entries; theirs are the first shards. */
async function plant({ put, more = {} }: Place): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [name, make] of Object.entries({ ...flaws, ...more }))
    for (const status of ['pending', 'running'] as const) {
      const id = `0${randomUUID().slice(1)}`
      names.set(id, `${name}, ${status}`)
      await put(keyOf(id), make({ id, status }))
      await put(entryOf(status === 'pending' ? 'ready' : 'leases', id), bytes('t'))
    }
  return names
}

/** A sweep may write a task again as it is, to put an entry of it. */
const isClaim = (write: Write): boolean =>
  'value' in write && new TextDecoder().decode(write.value).includes('"status":"running"')

for (const [name, open] of Object.entries(places))
  describe(`bad documents on ${name}`, () => {
    test('are set aside with one warning each, and everything else is served', async () => {
      await using place = await open()
      const names = await plant(place)
      const [reads, tries] = [new Map<string, number>(), new Map<string, number>()]
      const store = altered(place.store, {
        get: (key) => {
          reads.set(key, (reads.get(key) ?? 0) + 1)
          return place.store.get(key)
        },
        commit: (writes) => {
          for (const { key } of writes.filter(isClaim)) tries.set(key, (tries.get(key) ?? 0) + 1)
          return place.store.commit(writes)
        },
      })
      await using bench = new Bench(store)
      const queue = new Queue(place.store)
      const expiring = await queue.submit({
        type: 'u',
        id: `f${randomUUID().slice(1)}`,
        maxRetries: 0,
      })
      const dead = {
        workerId: 'dead',
        leaseId: randomUUID(),
        nowMs: Date.now() + 5_000,
        leaseMs: 1,
      }
      await new Repository(place.store, () => {}).change(expiring.id, ['claim', dead])
      await bench.worker({
        handlers: { t: () => 'done' },
        idleMsMax: 100,
        monitor: { checkIntervalMs: 200, sweepIntervalMs: 300, sweepPageSize: 3 },
      })
      const served = await queue.submit({ type: 't', id: `f${randomUUID().slice(1)}` })
      const { output } = await bench.until(served.id, ({ status }) => status === 'completed')
      assert.equal(output, 'done')
      await bench.until(expiring.id, ({ status }) => status === 'failed')
      const lost = await queue.submit({ type: 'u', id: `f${randomUUID().slice(1)}` })
      for await (const head of place.store.list('qo/ready/f'))
        await place.store.commit([remove(head)])
      await eventually(async () => {
        let entries = 0
        for await (const _ of place.store.list('qo/ready/f')) entries++
        assert.equal(entries, 1, 'the sweep has come to the last shard')
      })
      reads.clear()
      const clearedAt = performance.now()
      // What it reads in this time is what is measured.
      await sleep(3_000)
      const seconds = (performance.now() - clearedAt) / 1_000
      for (const [id, flaw] of names) {
        const told = bench.warnings.filter((warning) => warning.includes(id))
        assert.ok(told.length <= 1, `${flaw}: ${told.join('\n')}`)
        // An empty object on S3 is no object at all.
        const isAbsent = flaw.startsWith('empty') && name.startsWith('s3')
        assert.ok(told.length === 1 || isAbsent, `${flaw}: nothing was told`)
        const count = reads.get(keyOf(id)) ?? 0
        assert.ok(count <= 20 * seconds, `${flaw}: read ${count} times in ${seconds} s`)
        const claims = flaw.endsWith('pending') ? (tries.get(keyOf(id)) ?? 0) : 0
        assert.ok(claims <= 2, `${flaw}: claimed ${claims} times`)
      }
      // A busy server may be silent for a moment; nothing else may stop a worker or its monitor.
      const halts = bench.warnings.filter((warning) => /can't be used|failed, and/.test(warning))
      assert.deepEqual(
        halts.filter((warning) => !/does not answer|can not answer/.test(warning)),
        [],
      )
      assert.deepEqual((await queue.get(lost.id)).status, 'pending')
    })

    test('a monitor tries each once, and then leaves them alone for a while', async () => {
      await using place = await open()
      await plant(place)
      const store = counted(place.store)
      const monitor = new Monitor(store)
      await monitor.check()
      store.reset()
      await monitor.check()
      assert.equal(store.counts.commit, 0)
      // In a bucket an empty object is absent, and an entry without a task is looked at each time.
      assert.ok(store.counts.get <= (name.startsWith('s3') ? 1 : 0), `${store.counts.get} gets`)
    })

    test('lists, counts and repairs pass over them, and a monitor goes on', async () => {
      await using place = await open()
      const names = await plant(place)
      const warnings: string[] = []
      const onWarning = (warning: string) => warnings.push(warning)
      const queue = new Queue(place.store, { onWarning })
      const { id } = await queue.submit({ type: 'u' })
      const ids = async (options = {}) => {
        const found: string[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await queue.list({ ...options, type: 'u', cursor: cursor ?? undefined })
          found.push(...page.tasks.map((task) => task.id))
          cursor = page.cursor
        }
        return found
      }
      assert.deepEqual(await ids(), [id])
      assert.deepEqual(await ids({ status: 'pending' }), [id])
      assert.deepEqual(await ids({ status: 'running' }), [])
      assert.equal((await queue.stats()).by_type['u']?.pending, 1)
      await queue.repair({ graceMs: 0 })
      const monitor = new Monitor(place.store, { onWarning })
      assert.deepEqual((await monitor.check()).expired, [])
      assert.equal((await monitor.sweep()).isThrough, true)
      for (const [bad, flaw] of names) {
        const entry = entryOf(flaw.endsWith('pending') ? 'ready' : 'leases', bad)
        const isAbsent = flaw.startsWith('empty') && name.startsWith('s3')
        if (!isAbsent) assert.ok(await place.store.get(entry), `${flaw}: its entry is gone`)
      }
      await queue.close()
    })
  })
