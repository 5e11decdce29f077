import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { StoreClosedError, TaskManager, TaskNotFoundError } from '../../src/jobs/index.ts'
import {
  counted,
  openStore,
  type Store,
  StoreError,
  type WatchEvent,
} from '../../src/store/index.ts'
import { eventually, until } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { assertRefused, Bench, bytes } from './kit.ts'

/** A store whose watch tells what a test says, and nothing else; it counts what was read and answered. */
function directed(store: Store) {
  const events: WatchEvent[] = []
  let wake = () => {}
  let reads = 0
  return {
    /** Waits until so many reads were answered. */
    read: (count: number) => eventually(() => assert.ok(reads >= count, `${reads} reads`)),
    reads: () => reads,
    tell: (event: WatchEvent) => {
      events.push(event)
      wake()
    },
    store: altered(store, {
      get: async (key) => {
        const entry = await store.get(key)
        reads++
        return entry
      },
      async *watch(_, signal) {
        signal?.addEventListener('abort', () => wake())
        while (!signal?.aborted) {
          const event = events.shift()
          if (event) yield event
          else
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      },
    }),
  }
}

const stateOf = async (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'resolved',
      () => 'rejected',
    ),
    // No event tells that it goes on waiting.
    sleep(20).then(() => 'waiting'),
  ])

describe('wait', () => {
  test('reads again after a resync, for that is all that a gap leaves', async () => {
    const inner = await openStore('memory:')
    const { store, tell, read, reads } = directed(inner)
    const [own, other] = [new Bench(store), new TaskManager(inner)]
    const id = await own.claimed()
    const before = reads()
    const waiting = own.manager.wait(id)
    // Whether it has ended, and once more when it is watched.
    await read(before + 2)
    tell({ type: 'resync' })
    await read(before + 3)
    assert.equal(await stateOf(waiting), 'waiting')
    await other.complete(id, bytes('x'))
    assert.equal(await stateOf(waiting), 'waiting')
    tell({ type: 'key', key: 'tasks/task/another' })
    assert.equal(await stateOf(waiting), 'waiting')
    tell({ type: 'resync' })
    assert.equal((await waiting).status, 'completed')
  })

  test('of many is one watch, which ends with the last of them', async () => {
    const store = counted(await openStore('memory:'))
    const own = new Bench(store)
    const ids = await Promise.all(Array.from({ length: 20 }, () => own.claimed()))
    const waits = ids.map((id) => own.manager.wait(id))
    await eventually(() => assert.equal(store.counts.watch, 1))
    for (const id of ids) await own.manager.complete(id)
    assert.equal((await Promise.all(waits)).length, 20)
    assert.equal(store.counts.watch, 1)
    const again = own.manager.wait(await own.claimed())
    await eventually(() => assert.equal(store.counts.watch, 2))
    const rejected = assertRefused(again, StoreClosedError)
    await own.manager.close()
    await rejected
  })

  test('rejects when the task is deleted meanwhile', async () => {
    const store = counted(await openStore('memory:'))
    const own = new Bench(store)
    const id = await own.failed()
    await own.manager.retry(id, { attempts: 1 })
    const waiting = assertRefused(own.manager.wait(id), TaskNotFoundError)
    await until(() => store.counts.watch === 1)
    const { key, revision } = (await store.get(`tasks/task/${id}`))!
    await store.commit([{ type: 'remove', key, revision }])
    await waiting
  })

  test('goes on while the store is away for a while', async () => {
    const inner = await openStore('memory:')
    let isDown = false
    let refused = 0
    const { store, tell, read, reads } = directed(inner)
    const failing = altered(store, {
      get: (key) => {
        if (!isDown) return store.get(key)
        refused++
        throw new StoreError('down', 'It is away.', 'Try again.')
      },
    })
    const own = new Bench(failing)
    const id = await own.claimed()
    const before = reads()
    const waiting = own.manager.wait(id)
    await read(before + 2)
    isDown = true
    tell({ type: 'resync' })
    await eventually(() => assert.ok(refused > 0))
    assert.equal(await stateOf(waiting), 'waiting')
    await new TaskManager(inner).complete(id, bytes('x'))
    isDown = false
    assert.equal((await waiting).status, 'completed')
  })

  test('asks a store that is away once at a time for each task, however often it is told of', async () => {
    const inner = await openStore('memory:')
    let asked: number | null = null
    const { store, tell, read, reads } = directed(inner)
    const failing = altered(store, {
      get: (key) => {
        if (asked === null) return store.get(key)
        asked++
        throw new StoreError('down', 'It is away.', 'Try again.')
      },
    })
    const own = new Bench(failing)
    const id = await own.claimed()
    const before = reads()
    const waiting = assertRefused(own.manager.wait(id), StoreClosedError)
    await read(before + 2)
    asked = 0
    const start = performance.now()
    for (let told = 0; told < 50; told++) tell({ type: 'key', key: `tasks/task/${id}` })
    await eventually(() => assert.ok((asked ?? 0) > 50))
    // Each time it was told, and from then on once a second.
    const seconds = Math.ceil((performance.now() - start) / 1000)
    assert.ok(asked <= 50 + seconds, `${asked} times within ${seconds} s`)
    await own.manager.close()
    await waiting
  })

  test('for many tasks with one signal, while the store is away, is no leak to warn of', async () => {
    const inner = await openStore('memory:')
    let isDown = false
    let refused = 0
    const { store, tell, read, reads } = directed(inner)
    const get = (key: string) => {
      if (!isDown) return store.get(key)
      refused++
      throw new StoreError('down', 'It is away.', 'Try again.')
    }
    const own = new Bench(altered(store, { get }))
    const ids = await Promise.all(Array.from({ length: 20 }, () => own.claimed()))
    const warned: string[] = []
    const listen = ({ message }: Error) => void warned.push(message)
    process.on('warning', listen)
    const abort = new AbortController()
    const before = reads()
    const waits = ids.map((id) => own.manager.wait(id, { signal: abort.signal }))
    const rejected = Promise.all(waits.map((wait) => assert.rejects(wait, /enough/)))
    await read(before + 2 * ids.length)
    isDown = true
    tell({ type: 'resync' })
    await eventually(() => assert.ok(refused >= ids.length))
    // Node warns a moment after it has counted them, and no event tells that it does not.
    await sleep(20)
    abort.abort(new Error('enough'))
    await rejected
    process.off('warning', listen)
    assert.deepEqual(warned, [])
  })

  test('for a task that has ended needs no watch', async () => {
    const store = counted(await openStore('memory:'))
    const own = new Bench(store)
    assert.equal((await own.manager.wait(await own.failed())).status, 'failed')
    assert.equal(store.counts.watch, 0)
  })

  test('rejects when the watch fails, and when the store is closed; later ones watch anew', async () => {
    const inner = await openStore('memory:')
    let isBroken = true
    let watches = 0
    const own = new Bench(
      altered(inner, {
        watch: (prefix, signal) => {
          if (isBroken) throw new Error('no watch')
          watches++
          return inner.watch(prefix, signal)
        },
      }),
    )
    const id = await own.claimed()
    await assert.rejects(own.manager.wait(id), /no watch/)
    isBroken = false
    const waiting = own.manager.wait(id)
    await until(() => watches === 1)
    const closed = assert.rejects(waiting)
    await inner[Symbol.asyncDispose]()
    await closed
  })

  test('looks at the task itself where a watch would list all tasks each time', async () => {
    const inner = counted(await openStore('memory:'))
    const limits = { ...inner.limits, watch: 'poll' as const, listCost: 'prefix' as const }
    const own = new Bench(altered(inner, { limits }))
    const id = await own.claimed()
    const reads = inner.counts.get
    const waiting = own.manager.wait(id)
    await until(() => inner.counts.get > reads)
    await own.manager.complete(id, bytes('x'))
    assert.equal((await waiting).status, 'completed')
    assert.deepEqual([inner.counts.watch, inner.counts.list], [0, 0])
  })
})
