import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { type IndexMode, Monitor } from '../../src/queue/index.ts'
import { type Store, s3Requests } from '../../src/store/internal.ts'
import { sharedMinio, sharedMinistack } from '../servers/shared.ts'
import { type S3Bucket, s3Bucket } from '../store/s3/ground.ts'
import { Bench } from './kit.ts'

const idOf = (n: number): string =>
  `7${n.toString(16).padStart(7, '0')}-1111-4111-8111-111111111111`

const minuteOf = (ms: number): string => String(Math.floor(ms / 60_000)).padStart(10, '0')

/** Another tool, which writes objects as they come. */
class OtherTool {
  readonly #bucket: S3Bucket
  readonly #prefix: string

  constructor(bucket: S3Bucket, prefix: string) {
    this.#bucket = bucket
    this.#prefix = prefix
  }

  async put(name: string, body: string): Promise<void> {
    const { account, bucket } = this.#bucket
    const answer = await account.request(`/${bucket}/${this.#prefix}/${name}`, {
      method: 'PUT',
      body,
    })
    assert.ok(answer.ok, String(answer.status))
  }

  /** A task, and its entry as an empty object; answers with the name of the entry. */
  async submit(id: string, more: object = {}): Promise<string> {
    const created_at = new Date(Date.now() - 60_000).toISOString()
    const task = { id, task_type: 't', status: 'pending', created_at, available_at: created_at }
    await this.put(`tasks/7/${id}.json`, JSON.stringify({ ...task, ...more }))
    const entry = `ready/7/${minuteOf(Date.parse(created_at))}/${id}`
    await this.put(entry, '')
    return entry
  }
}

const servers = { MinIO: sharedMinio, ministack: sharedMinistack }

async function placeOn(name: keyof typeof servers, prefix: string, versioned = true) {
  const probe = name === 'MinIO' ? 'never' : 'known'
  const bucket = await s3Bucket(servers[name](), { probe, versioned })
  return { store: await bucket.open(prefix), other: new OtherTool(bucket, prefix) }
}

const requests = (store: Store) => ({ ...s3Requests(store) })

describe.each(['MinIO', 'ministack'] as const)('an empty entry on %s', (name) => {
  test.each(['index-only', 'hybrid'] as const)('is one to a worker that looks %s', async (mode) => {
    const { store, other } = await placeOn(name, `blank-${mode}`)
    await using _ = store
    await using bench = new Bench(store)
    const options = { handlers: { t: () => 'done' }, indexMode: mode as IndexMode, idleMsMax: 200 }
    await other.submit(idOf(1))
    const worker = await bench.worker(options)
    await bench.until(idOf(1), ({ status }) => status === 'completed')
    // Also one that comes while the worker waits.
    const again = await other.submit(idOf(2))
    await bench.until(idOf(2), ({ status }) => status === 'completed')
    await worker.stop()
    assert.deepEqual(await namedBlanks(store, again), [`qo/${again}`])
  })

  test('of a task that is pending is kept and written as ours by a sweep; of others it goes', async () => {
    const { store, other } = await placeOn(name, 'blank-sweep')
    await using _ = store
    const ended = await other.submit(idOf(3), { status: 'completed' })
    // Behind the page of the documents that this sweep looks at.
    const pending = await other.submit(idOf(4))
    const monitor = new Monitor(store, { graceMs: 0, sweepPageSize: 1 })
    await monitor.sweep()
    assert.deepEqual(await namedBlanks(store, ended), [])
    const entry = await store.get(`qo/${pending}`)
    assert.equal(entry && Buffer.from(entry.value).toString(), 't')
  })
})

async function namedBlanks(store: Store, entry: string): Promise<string[]> {
  const { keys } = (await store.blanks?.('qo/ready', null)) ?? assert.fail('no blanks')
  return keys.filter((key) => key === `qo/${entry}`)
}

describe('empty entries', () => {
  test('that are removals of ours cost an idle worker nothing', async () => {
    const { store } = await placeOn('MinIO', 'blank-idle')
    await using _ = store
    await using bench = new Bench(store)
    const done = await bench.queue.submitMany(Array.from({ length: 30 }, () => ({ type: 't' })))
    const options = { handlers: { t: () => 'done' }, indexMode: 'index-only' as const }
    const worker = await bench.worker({ ...options, idleMsMax: 100 })
    for (const { id } of done) await bench.until(id, ({ status }) => status === 'completed')
    await worker.stop()
    assert.deepEqual((await store.blanks?.('qo/ready', null))?.keys, [])
    const idle = await bench.worker({ ...options, idleMsMax: 100 })
    const before = requests(store)
    // Some of its looks.
    await sleep(1_500)
    const after = requests(store)
    await idle.stop()
    assert.equal(after.GET, before.GET, 'no task was read')
  })

  test('on a bucket without versions are tried a few at a time', async () => {
    const { store, other } = await placeOn('MinIO', 'blank-plain', false)
    await using _ = store
    await using bench = new Bench(store)
    await other.submit(idOf(5))
    await bench.worker({ handlers: { t: () => 'done' }, indexMode: 'index-only', idleMsMax: 200 })
    await bench.until(idOf(5), ({ status }) => status === 'completed')
  })

  test('come page by page', async () => {
    const { store, other } = await placeOn('MinIO', 'blank-pages')
    await using _ = store
    const entries = ['a', 'b', 'c'].map((each) => `ready/7/0000000001/${each}`)
    for (let n = 0; n < 400; n += 25)
      await Promise.all(
        Array.from({ length: 75 }, (_, at) => other.put(entries[at % 3] as string, '')),
      )
    const keys: string[] = []
    let after: string | null = null
    let pages = 0
    do {
      const page: { keys: readonly string[]; next: string | null } = (await store.blanks?.(
        'qo/ready',
        after,
      )) ?? { keys: [], next: null }
      keys.push(...page.keys)
      after = page.next
      pages++
    } while (after !== null)
    assert.deepEqual(
      keys,
      entries.map((entry) => `qo/${entry}`),
    )
    assert.equal(pages, 2)
  })
})
