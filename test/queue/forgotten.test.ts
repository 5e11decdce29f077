import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import {
  limited,
  openStore,
  type Store,
  StoreError,
  update,
  type Version,
} from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Bench } from './kit.ts'

const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
const key = `qo/tasks/f/${id}.json`

/** A store that keeps versions, as a bucket does; `plain` is the same after they are gone. */
async function versioned() {
  const plain = limited(await openStore('memory:'), 1)
  const kept: Version[] = []
  const reads = { count: 0, failure: null as StoreError | null }
  const store = altered(plain, {
    async commit(writes) {
      const outcome = await plain.commit(writes)
      const [write] = writes
      if (outcome.ok && write?.key === key && write.type !== 'remove')
        kept.unshift({ revision: outcome.revisions[0] as string, value: write.value, at: 0 })
      return outcome
    },
    async *versions() {
      reads.count++
      if (reads.failure) throw reads.failure
      yield* kept
    },
  })
  return { store, plain, reads }
}

/** Another tool writes the task as it understands it: what it does not know it drops. */
async function overwritten(store: Store, change: object): Promise<void> {
  const entry = await store.get(key)
  assert.ok(entry)
  const { _history, ...task } = JSON.parse(new TextDecoder().decode(entry.value))
  const value = new TextEncoder().encode(JSON.stringify({ ...task, ...change }))
  assert.ok((await store.commit([update(entry, value)])).ok)
}

const states = async (store: Store) =>
  (await new Queue(store).history(id)).map(({ task }) => task.status).join()

describe('a history that another tool has dropped', () => {
  test('is in the document again with the next change, as far as versions were kept', async () => {
    const { store, plain, reads } = await versioned()
    const queue = new Queue(store)
    await queue.submit({ type: 't', id })
    await queue.cancel(id)
    await queue.archive(id)
    await queue.unarchive(id)
    await queue.replay(id)
    assert.equal(reads.count, 0, 'nobody looks at versions while the trail is whole')
    const updated_at = new Date(Date.now() + 1_000).toISOString()
    await overwritten(store, { status: 'failed', last_error: 'by another tool', updated_at })
    await assert.rejects(queue.cancel(id))
    assert.equal(reads.count, 0, 'what is refused costs no look')
    await queue.replay(id)
    await queue.cancel(id)
    assert.equal(reads.count, 1)
    const all = 'pending,cancelled,archived,cancelled,pending,failed,pending,cancelled'
    assert.equal(await states(plain), all)
    assert.equal(await states(store), all)
    await overwritten(store, { status: 'failed' })
    await queue.replay(id)
    assert.equal(await states(plain), `${all},failed,pending`)
  })

  test('also where a worker makes the next change, and where the history is long', async () => {
    const { store, plain } = await versioned()
    await using bench = new Bench(store)
    await bench.queue.submit({ type: 't', id, maxRetries: 0 })
    for (let times = 0; times < 300; times++) {
      await bench.queue.cancel(id)
      await bench.queue.replay(id)
    }
    const updated_at = new Date(Date.now() + 1_000).toISOString()
    await overwritten(store, { updated_at, retry_count: 1 })
    await bench.worker({ handlers: { t: () => 'done' } })
    await bench.queue.wait(id)
    const history = (await states(plain)).split(',')
    assert.deepEqual(history.slice(-4), ['pending', 'pending', 'running', 'completed'])
    assert.equal(history.length, 604)
    assert.equal(await states(store), history.join())
  })

  test('is begun anew where versions may not be read; nothing is changed while the store is away', async () => {
    const { store, plain, reads } = await versioned()
    const queue = new Queue(store)
    await queue.submit({ type: 't', id })
    await queue.cancel(id)
    await overwritten(store, { status: 'failed' })
    reads.failure = new StoreError('down', 'The store is away.', 'Wait.')
    await assert.rejects(queue.replay(id), { code: 'unavailable' })
    assert.equal((await queue.get(id)).status, 'failed')
    reads.failure = new StoreError('permission', 'Versions may not be listed.', 'Ask.')
    await queue.replay(id)
    assert.equal(await states(plain), 'failed,pending')
  })
})
