import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Bench, soon } from './kit.ts'

const leaseMs = 1_000

/** The first claim is there at once, but its worker hears of it so much later, as one whose event loop is blocked. */
function hearingLate(store: Store, ms: number): Store {
  let isLate = true
  return altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      if (isLate && writes.some(({ key }) => key.startsWith('qo/leases/'))) {
        isLate = false
        await sleep(ms)
      }
      return result
    },
  })
}

describe('a claim whose answer comes after its lease', () => {
  test('is not run where another worker has the task by then', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const begun: string[] = []
    const handlersOf = (name: string) => ({
      t: async () => {
        begun.push(name)
        await sleep(2_500)
      },
    })
    const { id } = await bench.queue.submit({ type: 't', retryPolicy: soon })
    await bench.worker({ leaseMs, handlers: handlersOf('late') }, hearingLate(store, 2_500))
    await bench.until(id, ({ status }) => status === 'running')
    const monitor = { checkIntervalMs: 50 }
    await bench.worker({ leaseMs, monitor, handlers: handlersOf('other') })
    const { attempt, retry_count } = await bench.until(id, ({ status }) => status === 'completed')
    assert.deepEqual([begun, attempt, retry_count], [['other'], 2, 1])
  })

  test('is run where nobody has taken it, and the lease is renewed first', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const { id } = await bench.queue.submit({ type: 't' })
    const leases: number[] = []
    const handlers = {
      t: async () => {
        const { lease_expires_at } = await bench.queue.get(id)
        leases.push(Date.parse(lease_expires_at as string) - Date.now())
      },
    }
    await bench.worker({ leaseMs, handlers }, hearingLate(store, 1_200))
    const { attempt } = await bench.until(id, ({ status }) => status === 'completed')
    assert.equal(attempt, 1)
    assert.ok(leases.length === 1 && leases.every((ms) => ms > 0), `${leases} ms were left`)
  })

  test('whose limit is over by then is left to the monitor, and charged', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    let begun = 0
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 1_000, retryPolicy: soon })
    const handlers = { t: () => ++begun }
    const monitor = { checkIntervalMs: 50 }
    await bench.worker({ monitor, handlers }, hearingLate(store, 1_500))
    const { attempt, retry_count } = await bench.until(id, ({ status }) => status === 'completed')
    assert.deepEqual([begun, attempt, retry_count], [1, 2, 1])
  })
})
