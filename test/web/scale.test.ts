import assert from 'node:assert/strict'
import type { CDPSession } from 'playwright-core'
import { describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { withBrowser } from './browser.ts'
import { rowInFocus } from './lists-ground.ts'
import { taskCount, withManyTasks } from './many.ts'

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

describe(`${taskCount} tasks`, () => {
  const { stay, visit } = withBrowser()
  const many = withManyTasks()

  test('scrolling through all of them is smooth, draws what is in view, and asks seldom', async () => {
    const guest = await stay(`${many.served.url}#/queue/tasks`)
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
    await many.served.queue.submit({ type: 'news' })
    await guest.says(/As of \d\d:\d\d:\d\d: there are newer changes/)
    await guest.says('10,000 tasks, all of them')
    await guest.press('Show the newest')
    await guest.page.locator('td', { hasText: 'news' }).waitFor()
  })

  test('Back finds a row far down, with the focus', async () => {
    const guest = await visit(`${many.served.url}#/queue/tasks?type=type-3`)
    const { page } = guest
    await guest.says('100 tasks loaded')
    await page.evaluate(loadAll)
    const box = page.locator('.rows')
    await box.evaluate((each) => each.scrollTo(0, 1e9))
    const row = page.locator(`tr[data-at="${Math.floor(taskCount / 7) - 1}"]`)
    await row.waitFor()
    const last = await row.getAttribute('data-row')
    const top = () => box.evaluate((each) => each.scrollTop)
    const before = await top()
    await row.locator('a').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.goBack()
    await guest.says(/all of them/)
    await eventually(async () => assert.equal(await rowInFocus(guest), last))
    assert.ok(Math.abs((await top()) - before) <= 2)
  })

  test('a storm of changes is no storm of requests', async () => {
    const guest = await stay(`${many.served.url}#/queue`)
    await guest.says('Live')
    guest.requests.length = 0
    const ends = Date.now() + 5_000
    while (Date.now() < ends) {
      await many.served.queue.submitMany(Array.from({ length: 20 }, () => ({ type: 'storm' })))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(guest.count(/queue\/tasks/) <= 7, guest.requests.join('\n'))
    assert.ok(guest.count(/queue\/stats/) <= 3, guest.requests.join('\n'))
  })
})
