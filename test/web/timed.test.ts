import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { measured } from '../rounds.ts'
import { type Visit, withBrowser } from './browser.ts'
import { taskCount, withManyTasks } from './many.ts'

const firstViewMsMax = 1_000

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
  const many = withManyTasks()

  test('overview and list are there within a second, with few requests', async () => {
    const guest = await visit('about:blank')
    for (const path of ['queue', 'queue/tasks']) {
      await measured(
        () => viewMs(guest, `${many.served.url}#/${path}`),
        (ms) => ms < firstViewMsMax,
      )
      assert.ok(
        guest.count(/assets/) >= 2 && guest.count(/\/api\//) <= 6,
        guest.requests.join('\n'),
      )
    }
    assert.equal((await guest.page.locator('.rows tbody tr').count()) < 60, true)
  })
})
