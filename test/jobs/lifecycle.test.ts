import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, test, vi } from 'vitest'
import { StoreClosedError, TaskManager } from '../../src/jobs/index.ts'
import { counted, flaky, openStore, type Store } from '../../src/store/index.ts'
import { until } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { assertRefused, Bench, bytes, TestClock } from './kit.ts'
import { storedTask } from './layout.ts'

/** Every method, on a task that is claimed. */
const methods: Readonly<
  Record<string, (manager: TaskManager, id: string, signal?: AbortSignal) => Promise<unknown>>
> = {
  submit: (manager, _, signal) => manager.submit({ payload: bytes('x') }, { signal }),
  submitMany: (manager, _, signal) => manager.submitMany([{ payload: bytes('x') }], { signal }),
  claim: (manager, id, signal) => manager.claim(id, 'worker-a', { signal }),
  claimNext: (manager, _, signal) => manager.claimNext('worker-a', { signal }),
  complete: (manager, id, signal) => manager.complete(id, bytes('x'), { signal }),
  fail: (manager, id, signal) => manager.fail(id, 'x', { signal }),
  retry: (manager, id, signal) => manager.retry(id, { signal }),
  get: (manager, id, signal) => manager.get(id, { signal }),
  getByIdempotencyKey: (manager, _, signal) => manager.getByIdempotencyKey('bench-1', { signal }),
  list: (manager, _, signal) => manager.list(undefined, { signal }),
  delete: (manager, id, signal) => manager.delete(id, { signal }),
  wait: (manager, id, signal) => manager.wait(id, { signal }),
  releaseStale: (manager, _, signal) => manager.releaseStale({ signal }),
}

const endOf = async (code: string): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 120_000 })

describe('close', () => {
  for (const [name, call] of Object.entries(methods))
    test(`${name} after close is StoreClosedError`, async () => {
      await using store = await openStore('memory:')
      const own = new Bench(store)
      const id = await own.claimed()
      const before = await storedTask(store, id)
      await own.manager.close()
      await assertRefused(() => call(own.manager, id), StoreClosedError, 'STORE_CLOSED')
      assert.deepEqual(await storedTask(store, id), before)
    })

  test('twice is fine, and leaves the store open for its owner', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store, { claimTtlMs: 40 })
    await Promise.all([manager.close(), manager.close()])
    await manager.close()
    await manager[Symbol.asyncDispose]()
    await using other = new TaskManager(store)
    await other.submit({ payload: bytes('x') })
  })

  test('waits for calls in flight, which finish', async () => {
    await using inner = await openStore('memory:')
    const manager = new TaskManager(flaky(inner, { delayMsMax: 20 }))
    const submitting = manager.submit({ payload: bytes('x'), idempotencyKey: 'k' })
    let isDone = false
    void submitting.then(() => {
      isDone = true
    })
    await manager.close()
    assert.ok(isDone)
    assert.equal((await new TaskManager(inner).get(await submitting)).idempotencyKey, 'k')
  })

  test('repair after close is StoreClosedError', async () => {
    const manager = new TaskManager(await openStore('memory:'))
    await manager.close()
    await assertRefused(manager.repair(), StoreClosedError, 'STORE_CLOSED')
  })

  for (const [name, end] of [
    ['that was not closed', ''],
    ['that was closed while somebody waits', 'await manager.close()'],
  ] as const)
    test(`a manager with a timer ${name} does not keep the process alive`, async () => {
      const { stdout } = await endOf(`
        import { TaskManager } from 'holdfast/jobs'
        import { openStore } from 'holdfast/store'
        const manager = new TaskManager(await openStore('memory:'), { claimTtlMs: 60_000 })
        const id = await manager.submit({ payload: new Uint8Array() })
        const waiting = ${end === '' ? 'null' : 'manager.wait(id).catch(({ code }) => console.log(code))'}
        ${end}
        await waiting
        console.log('done')
      `)
      assert.deepEqual(stdout.trim().split('\n'), end === '' ? ['done'] : ['STORE_CLOSED', 'done'])
    })

  test('a manager with a timer stops looking once closed', async () => {
    await using store = await openStore('memory:')
    const clock = new TestClock()
    const own = new Bench(store, { claimTtlMs: 4, now: clock.now })
    const id = await own.claimed()
    await own.manager.close()
    clock.ms += 1_000
    // Some of its intervals; no event tells that it does not look.
    await sleep(30)
    assert.equal((await storedTask(store, id))['status'], 'claimed')
  })

  test('a manager looks for expired claims every quarter of claimTtlMs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      await using store = counted(await openStore('memory:'))
      await using _ = new TaskManager(store, { claimTtlMs: 4_000 })
      for (const looks of [0, 1, 2, 3]) {
        assert.equal(store.counts.list, looks)
        await vi.advanceTimersByTimeAsync(999)
        assert.equal(store.counts.list, looks)
        await vi.advanceTimersByTimeAsync(1)
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test('what fails in the background is told to onWarning, and tried again', async () => {
    const store = await openStore('memory:')
    const warnings: string[] = []
    const onWarning = (warning: string) => void warnings.push(warning)
    const manager = new TaskManager(store, { claimTtlMs: 8, onWarning })
    await store[Symbol.asyncDispose]()
    await until(() => warnings.length >= 2)
    assert.match(warnings[0] as string, /expired claims failed: The store was closed/)
    await manager.close()
  })
})

describe('an onWarning that fails', () => {
  const failures: Readonly<Record<string, () => void>> = {
    'at once': () => {
      throw new Error('no ear')
    },
    later: async () => {
      throw new Error('no ear')
    },
  }
  for (const [name, onWarning] of Object.entries(failures))
    test(`${name} keeps nobody from listing, claiming and releasing; Node is told`, async () => {
      const warned: string[] = []
      const listen = (warning: Error) => void warned.push(warning.message)
      process.on('warning', listen)
      try {
        const store = await openStore('memory:')
        const own = new Bench(store, { onWarning, claimTtlMs: 8 })
        const [bad, good] = [await own.pending(), await own.pending()]
        await own.put(`tasks/task/${bad}`, 'garbage')
        assert.equal((await own.manager.list()).tasks.length, 1)
        assert.equal((await own.manager.claimNext('worker-a'))?.id, good)
        await store[Symbol.asyncDispose]()
        await until(() => warned.some((warning) => /expired claims failed.*no ear/.test(warning)))
        await own.manager.close()
        assert.ok(warned.some((warning) => warning.includes(bad) && warning.includes('no ear')))
      } finally {
        process.off('warning', listen)
      }
    })
})

describe('an AbortSignal', () => {
  for (const [name, call] of Object.entries(methods))
    test(`${name} that is aborted before it begins rejects with its reason and changes nothing`, async () => {
      await using store = await openStore('memory:')
      const own = new Bench(store)
      const id = await own.claimed()
      const before = await storedTask(store, id)
      const reason = new Error('enough')
      await assert.rejects(call(own.manager, id, AbortSignal.abort(reason)), reason)
      assert.deepEqual(await storedTask(store, id), before)
      assert.equal((await own.manager.list()).tasks.length, 1)
    })

  /** A store whose reads never answer. */
  const silent = (store: Store): Store => altered(store, { get: () => new Promise(() => {}) })

  for (const name of ['get', 'getByIdempotencyKey', 'wait'] as const)
    test(`${name} does not wait for a store that is silent`, async () => {
      await using store = await openStore('memory:')
      const manager = new TaskManager(silent(store))
      const abort = new AbortController()
      const call = (methods[name] as (typeof methods)[string])(manager, 'x', abort.signal)
      setTimeout(() => abort.abort(new Error('enough')), 10)
      await assert.rejects(call, /enough/)
    })

  /** A store that aborts once it has written so many times. */
  const abortingAfter = (store: Store, commits: number) => {
    const abort = new AbortController()
    let left = commits
    const commit: Store['commit'] = async (writes) => {
      if (--left === 0) abort.abort(new Error('enough'))
      return store.commit(writes)
    }
    return { store: altered(store, { commit }), signal: abort.signal }
  }

  test('between two commits of submitMany begins no other; the same again does the rest', async () => {
    await using inner = await openStore('memory:')
    const { store, signal } = abortingAfter(inner, 2)
    const tasks = Array.from({ length: 1_000 }, (_, at) => ({
      payload: bytes('x'),
      idempotencyKey: `key ${at}`,
    }))
    const manager = new TaskManager(store)
    await assert.rejects(manager.submitMany(tasks, { signal }), /enough/)
    assert.equal((await manager.list(null, { limit: 1_000 })).tasks.length, 500)
    assert.equal(new Set(await manager.submitMany(tasks)).size, 1_000)
    assert.equal((await manager.list(null, { limit: 1_000 })).tasks.length, 1_000)
  })

  test('between two changes of releaseStale begins no other', async () => {
    await using inner = await openStore('memory:')
    const clock = new TestClock()
    const own = new Bench(inner, { now: clock.now })
    for (let nth = 0; nth < 100; nth++) await own.claimed()
    clock.ms += 60_000
    const { store, signal } = abortingAfter(inner, 1)
    await using manager = new TaskManager(store, { claimTtlMs: 60_000, now: clock.now })
    await assert.rejects(manager.releaseStale({ signal }), /enough/)
    const { tasks } = await own.manager.list('pending')
    assert.ok(tasks.length >= 1 && tasks.length <= 32, `${tasks.length}`)
  })

  test('between two attempts ends a change that others keep from winning', async () => {
    await using store = await openStore('memory:')
    const own = new Bench(store)
    const id = await own.claimed()
    const abort = new AbortController()
    const contended = altered(store, {
      commit: async () => {
        abort.abort(new Error('enough'))
        return { ok: false }
      },
    })
    const manager = new TaskManager(contended)
    await assert.rejects(manager.complete(id, bytes('x'), { signal: abort.signal }), /enough/)
    const submitting = { payload: bytes('x'), idempotencyKey: 'k' }
    await assert.rejects(manager.submit(submitting, { signal: abort.signal }), /enough/)
  })
})
