import assert from 'node:assert/strict'
import type { CDPSession } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { measured } from '../rounds.ts'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

const taskCount = 10_000
const firstViewMsMax = 1_000
/** Most of what a screen gives a frame; in time of the processor, for others may have the machine as well. */
const frameCpuMsMax = 12
const frames = 120

/** On to the end of what is loaded, until there is no more. */
const loadAll = `(async () => {
  const rows = document.querySelector('.rows')
  while (!document.body.textContent.includes('all of them')) {
    rows.scrollTop = 1e9
    await new Promise(requestAnimationFrame)
  }
})()`

/** Two rows and more with every frame, as a hasty hand scrolls. Says in how many of them no row was to be seen. */
const scroll = `(async () => {
  const rows = document.querySelector('.rows')
  const { left, top, width, height } = rows.getBoundingClientRect()
  let blank = 0
  for (let frame = 0; frame < ${frames}; frame++) {
    rows.scrollTop -= 100
    await new Promise(requestAnimationFrame)
    const middle = document.elementFromPoint(left + width / 2, top + height / 2)
    if (!middle?.closest('tr:not(.gap)')) blank++
  }
  return blank
})()`

/** How long the page's thread has had a processor, in ms. */
async function cpuMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
}

/** The time from the first request until the tasks are there to be read, with nothing kept from before. */
async function viewMs(guest: Visit, url: string): Promise<number> {
  const cdp = await guest.page.context().newCDPSession(guest.page)
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  await guest.page.goto('about:blank')
  guest.requests.length = 0
  const start = performance.now()
  await guest.page.goto(url)
  await guest.page.locator('tbody td.col-id').first().waitFor()
  return performance.now() - start
}

describe(`${taskCount} tasks`, () => {
  const { visit } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
    const tasks = Array.from({ length: taskCount }, (_, at) => ({
      type: `type-${at % 7}`,
      input: { order: at, note: 'as large as an ordinary task' },
    }))
    for (let at = 0; at < taskCount; at += 1_000)
      await served.queue.submitMany(tasks.slice(at, at + 1_000))
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test('overview and list are there within a second, with few requests', async () => {
    const guest = await visit('about:blank')
    for (const path of ['queue', 'queue/tasks']) {
      await measured(
        () => viewMs(guest, `${served.url}#/${path}`),
        (ms) => ms < firstViewMsMax,
      )
      assert.ok(
        guest.count(/assets/) >= 2 && guest.count(/\/api\//) <= 6,
        guest.requests.join('\n'),
      )
    }
    assert.equal((await guest.page.locator('.rows tbody tr').count()) < 60, true)
  })

  test('scrolling through all of them is smooth, draws what is in view, and asks seldom', async () => {
    const guest = await visit(`${served.url}#/queue/tasks`)
    await guest.says('100 tasks loaded')
    guest.requests.length = 0
    await guest.page.evaluate(loadAll)
    await guest.says('10,000 tasks, all of them')
    assert.ok(guest.count(/queue\/tasks/) <= 22, guest.requests.join('\n'))
    const cdp = await guest.page.context().newCDPSession(guest.page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const before = await cpuMs(cdp)
    const blank = await guest.page.evaluate<number>(scroll)
    const frameMs = ((await cpuMs(cdp)) - before) / frames
    assert.ok(frameMs < frameCpuMsMax, `${frameMs.toFixed(1)} ms a frame`)
    assert.equal(blank, 0)
    assert.ok((await guest.page.locator('.rows tbody tr').count()) < 60)
    // What happens meanwhile does not take the list away from its reader.
    await served.queue.submit({ type: 'news' })
    await guest.says(/As of \d\d:\d\d:\d\d: there is news since/)
    await guest.says('10,000 tasks, all of them')
    await guest.press('Show the newest')
    await guest.page.locator('td', { hasText: 'news' }).waitFor()
  })

  test('a storm of changes is no storm of requests', async () => {
    const guest = await visit(`${served.url}#/queue`)
    await guest.says('Live')
    guest.requests.length = 0
    const ends = Date.now() + 5_000
    while (Date.now() < ends) {
      await served.queue.submitMany(Array.from({ length: 20 }, () => ({ type: 'storm' })))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(guest.count(/queue\/tasks/) <= 7, guest.requests.join('\n'))
    assert.ok(guest.count(/queue\/stats/) <= 3, guest.requests.join('\n'))
  })
})
