import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { measured } from '../rounds.ts'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

const taskCount = 10_000
const firstViewMsMax = 1_000

/** The time from the first request until the tasks are there to be read. */
async function viewMs(guest: Visit, url: string): Promise<number> {
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
      assert.ok(guest.count(/\/api\//) <= 6, guest.requests.join('\n'))
    }
    assert.equal((await guest.page.locator('.rows tbody tr').count()) < 60, true)
  })

  test('scrolling to the end loads page by page, and draws what is in view', async () => {
    const guest = await visit(`${served.url}#/queue/tasks`)
    await guest.says('100 tasks loaded')
    guest.requests.length = 0
    for (let step = 0; step < 12; step++) {
      await guest.page.evaluate("document.querySelector('.rows').scrollTop = 1e9")
      await guest.page.waitForTimeout(150)
    }
    await guest.says(/(900|1,\d00) tasks loaded/)
    assert.ok(guest.count(/queue\/tasks/) <= 16, guest.requests.join('\n'))
    assert.ok((await guest.page.locator('.rows tbody tr').count()) < 60)
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
