import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, onTestFinished, test, vi } from 'vitest'
import { encodeText } from '../../src/collection/index.ts'
import { Finder } from '../../src/queue/worker/finder.ts'
import { settingsOf } from '../../src/queue/worker/options.ts'
import { counted, create, openStore, update } from '../../src/store/index.ts'
import { until } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { Bench, deferred } from './kit.ts'

const submissions = (type: string, length: number) => Array.from({ length }, () => ({ type }))

describe('what a worker finds', () => {
  test('is read once for each task, and looked for about once for as many as are claimed together', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    const count = 400
    await bench.queue.submitMany(submissions('mine', count))
    store.reset()
    const worker = await bench.worker({ concurrency: 50, handlers: { mine: () => null } })
    await Promise.all(submissions('mine', count).map((task) => bench.queue.submit(task)))
    await until(() => worker.metrics.total('tasks_completed') === 2 * count)
    await worker.stop()
    const { get, commit, writes, entries } = store.counts
    // A worker registers itself, too.
    assert.ok(get >= 2 * count && get <= 2 * count + 10, `${get} gets`)
    assert.ok(commit >= 5 * count && commit <= 5 * count + 10, `${commit} commits`)
    assert.ok(writes >= 12 * count && writes <= 12 * count + 10, `${writes} writes`)
    assert.ok(entries <= 4 * count, `${entries} entries were listed`)
  })

  test('is not what others are for: their tasks are passed over unread, but for the first few', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    await bench.queue.submitMany(submissions('theirs', 500))
    const mine = await bench.queue.submitMany(submissions('mine', 20))
    store.reset()
    const worker = await bench.worker({ concurrency: 5, handlers: { mine: () => null } })
    for (const { id } of mine) await bench.queue.wait(id)
    await worker.stop()
    assert.ok(store.counts.get < 150, `${store.counts.get} gets`)
    const { pending, completed } = (await bench.queue.stats()).by_status
    assert.deepEqual({ pending, completed }, { pending: 500, completed: 20 })
  })

  test('is read again where an entry that named another type was put right, and not before', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    const id = 'aaaaaaaa-0000-4000-8000-000000000001'
    await bench.queue.submit({ id, type: 'mine' })
    const named = async (type: string) => {
      for await (const entry of store.scan('qo/ready'))
        await store.commit([update(entry, encodeText(type))])
    }
    await named('theirs')
    const finder = new Finder(store, settingsOf({ handlers: { mine: () => null } }), () => false)
    // From then on the index is read with its values.
    finder.noteForeign('aaaaaaaa-0000-4000-8000-000000000002')
    store.reset()
    for (let nth = 0; nth < 3; nth++) assert.deepEqual(await finder.next(1, Date.now()), [])
    assert.equal(store.counts.get, 0)
    await named('mine')
    assert.deepEqual(
      (await finder.next(1, Date.now())).map((found) => found.id),
      [id],
    )
  })

  test('is not looked at all the time where the clock stands still just before it is due', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    const stoppedAt = Date.now()
    let nowMs = stoppedAt
    await bench.queue.submit({ type: 't', availableAt: stoppedAt + 1 })
    const started = deferred()
    await bench.worker({ handlers: { t: () => started.resolve() }, now: () => nowMs })
    // What it reads in two seconds, once it has begun, is what is measured.
    await until(() => store.counts.get > 0)
    store.reset()
    await sleep(2_000)
    assert.ok(store.counts.get <= 10, `${store.counts.get} gets`)
    nowMs = stoppedAt + 1
    await started.promise
  })

  test('is looked for in the index after each pause, also where an idle worker looks at other things in between', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await using inner = await openStore('memory:')
    const idleMs = 5_000
    const lookedAt: number[] = []
    let others = 0
    const store = altered(inner, {
      limits: { ...inner.limits, watch: 'poll', listCost: 'prefix' },
      list(prefix, options) {
        if (prefix === 'qo/ready') lookedAt.push(performance.now())
        else others++
        return inner.list(prefix, options)
      },
      // As in a bucket, where other tools may have written empty objects.
      blanks: async () => {
        others++
        return { keys: [], next: null }
      },
    })
    const startedAt = performance.now()
    const finder = new Finder(store, settingsOf({ handlers: { t: () => null } }), () => false)
    for (let nth = 0; nth < 200; nth++) {
      await finder.next(1, Date.now())
      vi.advanceTimersByTime(finder.pauseMs(idleMs))
    }
    const gaps = lookedAt.slice(1).map((at, nth) => at - (lookedAt[nth] as number))
    assert.ok(others > 50, `${others} looks at other things`)
    const perMinute = (60_000 * (others + lookedAt.length)) / (performance.now() - startedAt)
    assert.ok(perMinute < 21, `${perMinute} lists a minute`)
    assert.ok(Math.max(...gaps) < 1.1 * idleMs, `${Math.max(...gaps)} ms`)
  })

  test('is read less and less often where it is an entry without a task, however many there are', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await using store = counted(await openStore('memory:'))
    const count = 2_500
    for (let nth = 0; nth < count; nth++) {
      const id = `${(nth % 16).toString(16)}0000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
      const entry = create(`qo/ready/${id.charAt(0)}/0000000001/${id}`, encodeText('mine'))
      await store.commit([entry])
    }
    await using bench = new Bench(store)
    await bench.worker({ indexMode: 'index-only', idleMsMax: 10, handlers: { mine: () => null } })
    /** Until it has looked all there is through, some times in a row without reading anything. */
    const settled = async () => {
      for (let reads = -1; reads !== store.counts.get; ) {
        reads = store.counts.get
        const lists = store.counts.list
        while (store.counts.list < lists + 100) await sleep(1)
      }
      return store.counts.get
    }
    const first = await settled()
    vi.advanceTimersByTime(110)
    const second = await settled()
    vi.advanceTimersByTime(110)
    const third = await settled()
    assert.deepEqual([second - first, third - second], [count, 0])
  })

  test('is run without a pause where other tools have written many empty entries, and holds up nothing else', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await using inner = await openStore('memory:')
    const at = new Date(Date.now() - 60_000).toISOString()
    const keys: string[] = []
    for (let nth = 0; nth < 300; nth++) {
      const id = `70000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
      const task_type = nth % 3 === 0 ? 'mine' : 'theirs'
      const task = { id, task_type, status: 'pending', created_at: at, available_at: at }
      await inner.commit([create(`qo/tasks/7/${id}.json`, encodeText(JSON.stringify(task)))])
      keys.push(`qo/ready/7/0000000001/${id}`)
    }
    let pages = 0
    const store = altered(inner, {
      // Half of them at a time.
      blanks: async (_, after) => {
        pages++
        return after === null
          ? { keys: keys.slice(0, 150), next: 'more' }
          : { keys: keys.slice(150), next: null }
      },
    })
    await using bench = new Bench(store)
    const { id } = await bench.queue.submit({ type: 'own' })
    let others = 0
    let othersBefore = Number.POSITIVE_INFINITY
    const worker = await bench.worker({
      indexMode: 'index-only',
      idleMsMax: 10,
      handlers: {
        mine: () => void others++,
        own: () => {
          othersBefore = others
        },
      },
    })
    // Time stands still, so none of this waits for the next look.
    while (worker.metrics.total('tasks_completed') < 101) await sleep(5)
    assert.equal((await bench.queue.get(id)).status, 'completed')
    assert.ok(othersBefore < 50, `${othersBefore} before`)
    assert.ok(pages <= 4, `${pages} pages`)
  })
})
