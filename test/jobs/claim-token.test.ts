import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type ClaimantOptions,
  StoreClosedError,
  type Task,
  TaskManager,
  WrongWorkerError,
} from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const endings: Readonly<
  Record<string, (manager: TaskManager, id: string, claim: ClaimantOptions) => Promise<Task>>
> = {
  complete: (manager, id, claim) => manager.complete(id, bytes('late'), claim),
  fail: (manager, id, claim) => manager.fail(id, 'late', claim),
}

/** The first claim of an id, which is then ended by somebody else, deleted and submitted again. */
async function reused(manager: TaskManager): Promise<Task> {
  await manager.submit({ id: 'daily', idempotencyKey: 'k', payload: bytes('x') })
  const old = await manager.claim('daily', 'worker-a')
  await manager.complete('daily')
  await manager.delete('daily')
  await manager.submit({ id: 'daily', idempotencyKey: 'k', payload: bytes('x') })
  return old
}

onEveryStore('the token of a claim', { check: assertLayout }, (ground) => {
  test('is on the claimed task alone, the same for a second claim by the same worker', async () => {
    const own = new Bench(ground.store)
    const id = await own.pending()
    assert.equal((await own.manager.get(id)).claimToken, null)
    const { claimToken } = await own.manager.claim(id, 'worker-a')
    assert.ok(claimToken)
    assert.equal((await own.manager.claim(id, 'worker-a')).claimToken, claimToken)
    assert.equal((await own.manager.get(id)).claimToken, claimToken)
    assert.equal((await own.manager.retry(id)).claimToken, null)
    const next = await own.manager.claimNext('worker-a')
    assert.ok(next?.claimToken && next.claimToken !== claimToken)
    assert.equal(
      (await own.manager.complete(id, bytes('y'), { claimToken: next.claimToken })).claimToken,
      null,
    )
  })

  for (const [name, end] of Object.entries(endings))
    test(`${name} by the holder of a claim on an id that was deleted and reused by the same worker is refused`, async () => {
      const manager = new TaskManager(ground.store)
      const old = await reused(manager)
      const present = await manager.claim('daily', 'worker-a')
      assert.deepEqual([old.claimedBy, old.attempts], [present.claimedBy, present.attempts])
      const worker = { workerId: 'worker-a', attempt: 1 }
      for (const claim of [
        worker,
        { claimToken: old.claimToken },
        { ...worker, claimToken: old.claimToken },
      ])
        await assertRefused(end(manager, 'daily', claim), WrongWorkerError)
      assert.equal((await manager.get('daily')).status, 'claimed')
      await end(manager, 'daily', { ...worker, claimToken: present.claimToken })
      assert.notEqual((await manager.get('daily')).status, 'claimed')
    })
})

describe('a worker that names its claim by worker and attempt', () => {
  test('means the claim that its own manager gave it, also when another has claimed the reused id since', async () => {
    const store = await openStore('memory:')
    const [first, second] = [new TaskManager(store), new TaskManager(store)]
    await reused(first)
    await second.claim('daily', 'worker-a')
    const claim = { workerId: 'worker-a', attempt: 1 }
    await assertRefused(first.complete('daily', bytes('late'), claim), WrongWorkerError)
    assert.equal((await second.complete('daily', bytes('good'), claim)).status, 'completed')
  })

  test('means the claim that it has ended, also when another has claimed the reused id since', async () => {
    const store = await openStore('memory:')
    const [first, second] = [new TaskManager(store), new TaskManager(store)]
    const claim = { workerId: 'worker-a', attempt: 1 }
    await first.submit({ id: 'daily', payload: bytes('x') })
    await first.claim('daily', 'worker-a')
    await first.complete('daily', bytes('good'), claim)
    await first.delete('daily')
    await first.submit({ id: 'daily', payload: bytes('x') })
    const { claimToken } = await second.claim('daily', 'worker-a')
    await assertRefused(first.complete('daily', bytes('late'), claim), WrongWorkerError)
    await assertRefused(first.fail('daily', 'late', claim), WrongWorkerError)
    assert.equal(
      (await first.complete('daily', null, { ...claim, claimToken })).status,
      'completed',
    )
  })

  test('may use an id again after it has ended its claim on it', async () => {
    const manager = new TaskManager(await openStore('memory:'))
    for (let day = 0; day < 3; day++) {
      await manager.submit({ id: 'daily', payload: bytes('x') })
      const { attempts } = await manager.claim('daily', 'worker-a')
      await manager.complete('daily', bytes('y'), { workerId: 'worker-a', attempt: attempts })
      await manager.delete('daily')
    }
  })
})

test('every part of a claim that is given must match', async () => {
  const own = new Bench(await openStore('memory:'))
  const id = await own.claimed()
  const { claimToken } = await own.manager.get(id)
  expectTypeOf(claimToken).toEqualTypeOf<string | null>()
  const good = { workerId: 'worker-a', attempt: 1, claimToken }
  const bad = { workerId: 'worker-b', attempt: 2, claimToken: 'another' }
  for (const part of Object.keys(bad) as (keyof typeof bad)[])
    for (const base of [{}, good]) {
      const claim = { ...base, [part]: bad[part] }
      await assertRefused(own.manager.complete(id, bytes('x'), claim), WrongWorkerError)
      await assertRefused(own.manager.fail(id, 'x', claim), WrongWorkerError)
    }
  await assertRefused(own.manager.complete(id, bytes('x'), { claimToken: null }), WrongWorkerError)
  assert.equal((await own.manager.complete(id, bytes('x'), good)).status, 'completed')
})

describe('changes', () => {
  test('end quietly when the manager is closed, also while nothing happens, and tell nothing after that', async () => {
    const own = new Bench(await openStore('memory:'))
    const other = new Bench(own.store)
    const changes = own.manager.changes()
    assert.deepEqual(await changes.next(), { value: { type: 'resync' }, done: false })
    const waiting = changes.next()
    await nextTurn()
    await own.manager.close()
    await other.pending()
    assert.deepEqual(await waiting, { value: undefined, done: true })
  })

  test('that were told before the end and not read yet are not told after it', async () => {
    const own = new Bench(await openStore('memory:'))
    const changes = own.manager.changes()
    await changes.next()
    await own.pending()
    await own.manager.close()
    assert.deepEqual(await changes.next(), { value: undefined, done: true })
  })

  test('are refused after the manager was closed, and end with their signal', async () => {
    const own = new Bench(await openStore('memory:'))
    const stop = new AbortController()
    const changes = own.manager.changes(stop.signal)
    await changes.next()
    const waiting = changes.next()
    stop.abort()
    assert.equal((await waiting).done, true)
    await own.manager.close()
    await assertRefused(own.manager.changes().next(), StoreClosedError)
  })
})
