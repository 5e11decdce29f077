import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, test, vi } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { Finder } from '../../src/queue/worker/finder.ts'
import { settingsOf } from '../../src/queue/worker/options.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { filled } from './crowd.ts'
import { Bench } from './kit.ts'

/** As NATS is: it names what is new, and a list sends all that lies below its prefix, whatever its bounds. */
function sending(inner: Store, onSent: (count: number) => Promise<void> | void): Store {
  const sent = async (prefix: string) => {
    let count = 0
    for await (const _ of inner.list(prefix)) count++
    await onSent(count)
  }
  return altered(inner, {
    limits: { ...inner.limits, listCost: 'prefix' },
    async *list(prefix, options) {
      await sent(prefix)
      yield* inner.list(prefix, options)
    },
    async *scan(prefix, options) {
      await sent(prefix)
      yield* inner.scan(prefix, options)
    },
  })
}

for (const own of [false, true])
  test(`a worker that starts next to a backlog${own ? ' of ids that tell no type' : ''} does not pass through it before it starts new tasks`, async () => {
    await using inner = await openStore('memory:')
    await filled(inner, own ? 100 : 2_000)
    const queue = new Queue(inner)
    if (own)
      await queue.submitMany(
        Array.from({ length: 1_900 }, () => ({ type: 'backlog', id: randomUUID() })),
      )
    // All of the index takes 20 seconds.
    const store = sending(inner, (count) => sleep(10 * count))
    await using bench = new Bench(store)
    const startsMs: number[] = []
    const begun = async (task: { id?: string } = {}, start = async () => {}) => {
      const { id } = await queue.submit({ type: 't', ...task })
      const submittedAt = performance.now()
      await start()
      await queue.wait(id)
      startsMs.push(performance.now() - submittedAt)
    }
    await begun({}, async () => void (await bench.worker({ handlers: { t: () => null } })))
    for (let nth = 0; nth < 10; nth++) {
      await sleep(200)
      await begun(nth % 2 === 0 ? {} : { id: randomUUID() })
    }
    await queue.close()
    const [first = 0, ...later] = startsMs
    assert.ok(first < 10_000, `submitted before: ${first} ms`)
    assert.ok(Math.max(...later) < 5_000, `submitted later: ${later}`)
  })

test('an idle worker whose watch tells it what is new is not sent a backlog again and again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const idleMs = 5_000
  const hours = 3
  const sentIn = async (count: number) => {
    await using inner = await openStore('memory:')
    if (count > 0) await filled(inner, count)
    let [sent, lists] = [0, 0]
    const store = sending(inner, (each) => {
      sent += each
      lists++
    })
    const finder = new Finder(store, settingsOf({ handlers: { t: () => null } }), () => false)
    let nowMs = await inner.now()
    const hour = async () => {
      for (let ms = 0; ms < 3_600_000; ) {
        finder.noteHeard(nowMs)
        await finder.next(1, nowMs)
        const pauseMs = finder.pauseMs(idleMs)
        vi.advanceTimersByTime(pauseMs)
        ;[ms, nowMs] = [ms + pauseMs, nowMs + pauseMs]
      }
    }
    await hour()
    ;[sent, lists] = [0, 0]
    for (let nth = 0; nth < hours; nth++) await hour()
    return { sent, lists }
  }
  const without = await sentIn(0)
  const beside = await sentIn(4_000)
  const per = (beside.sent / hours / 3_600).toFixed(2)
  // One a second of the index and two of the tasks, however many there are.
  assert.ok(beside.sent < hours * 3.5 * 3_600, `${per} entries a second`)
  assert.ok(
    beside.lists <= 1.15 * without.lists + 10,
    `${beside.lists}, not ${without.lists} lists`,
  )
})

test('what came while the watch was away is found without another pass, unless it was away for long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await using inner = await openStore('memory:')
  await filled(inner, 2_000)
  let sent = 0
  const store = sending(inner, (count) => {
    sent += count
  })
  const finder = new Finder(
    store,
    settingsOf({ indexMode: 'index-only', handlers: { t: () => null } }),
    () => false,
  )
  const startMs = Date.now()
  let nowMs = startMs + 600_000
  const step = async (count: number) => {
    const found: string[] = []
    for (let nth = 0; nth < count; nth++) {
      found.push(...(await finder.next(100, nowMs)).map(({ id }) => id))
      vi.advanceTimersByTime(100)
      nowMs += 100
    }
    return found
  }
  await step(100)
  const queue = new Queue(inner)
  for (const awayMs of [60_000, 1_800_000]) {
    finder.noteHeard(nowMs)
    vi.advanceTimersByTime(awayMs / 2)
    nowMs += awayMs / 2
    const tasks = Array.from({ length: 40 }, () => ({ type: 't', availableAt: nowMs }))
    const ids = (await queue.submitMany(tasks)).map(({ id }) => id)
    vi.advanceTimersByTime(awayMs / 2)
    nowMs += awayMs / 2
    sent = 0
    finder.noteMissed()
    const found = new Set(await step(40))
    assert.deepEqual(
      ids.filter((id) => !found.has(id)),
      [],
      `away for ${awayMs} ms`,
    )
    if (awayMs === 60_000) assert.ok(sent < 500, `${sent} entries were sent`)
    for (const id of ids) await queue.cancel(id)
  }
  await queue.close()
})
