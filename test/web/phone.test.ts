import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { fillLists } from './lists-ground.ts'
import { Served } from './served.ts'

const { visit } = withBrowser()
let served: Served

const longType = 'send-a-very-long-report-to-everybody-who-has-asked-for-it'
const key = 'import/2026-11/customer-1843'

beforeAll(async () => {
  served = await Served.start()
  await fillLists(served)
  await served.queue.submitMany([longType, 'resize'].map((type) => ({ type })))
  await served.failedTask('send_invoice')
  const id = await served.jobs.submit({ payload: new Uint8Array([49]), idempotencyKey: key })
  await served.jobs.claim(id, 'w1')
})
afterAll(() => served[Symbol.asyncDispose]())

/** Cells of tables that are drawn beyond the edge of the page, or of a box that would have to be scrolled sideways. */
const cutCells = (): string[] => {
  const cells = [...document.querySelectorAll<HTMLElement>('main :is(th, td)')]
  return cells
    .filter((cell) => cell.getClientRects().length > 0 && cell.innerText.trim() !== '')
    .filter((cell) => {
      const { left, right } = cell.getBoundingClientRect()
      for (let box = cell.parentElement; box; box = box.parentElement) {
        const edge = box.getBoundingClientRect()
        if (left < edge.left - 1 || right > edge.right + 1) return true
      }
      return false
    })
    .map(({ innerText }) => innerText)
}

describe('on a phone', () => {
  for (const width of [390, 320])
    for (const hash of ['/queue', '/queue/tasks', '/tree', '/jobs', '/queue/workers'])
      test(`${hash} shows the whole of every row at ${width} pixels`, async () => {
        const guest = await visit(`${served.url}#${hash}`, { viewport: { width, height: 844 } })
        const row = hash === '/queue/workers' ? 'main h1' : '[data-row]'
        await guest.page.locator(row).first().waitFor()
        assert.deepEqual(await guest.page.evaluate(cutCells), [])
        await guest.picture(`phone-${width}${hash.replaceAll('/', '-')}`)
      })

  test('the figures of a type stand below its name, each under its status', async () => {
    const guest = await visit(`${served.url}#/queue`, { viewport: { width: 390, height: 844 } })
    const row = guest.page.locator('.figures tr', { hasText: 'send_invoice' })
    const failed = await row.locator('td').last().boundingBox()
    const head = await guest.page.locator('.figures th').last().boundingBox()
    assert.ok(failed && head)
    assert.ok(Math.abs(failed.x + failed.width - head.x - head.width) < 2)
  })

  test('a type in the newest tasks, and the key of a job, have the room to be read', async () => {
    const guest = await visit(`${served.url}#/queue`, { viewport: { width: 390, height: 844 } })
    const readable = async (text: string, minPx: number) => {
      const box = await guest.page.locator('.two-lines').getByText(text).first().boundingBox()
      assert.ok(box && box.width > minPx, `${text}: ${box?.width} px`)
    }
    await readable(longType, 180)
    await guest.page.goto(`${served.url}#/jobs`)
    await readable(key, 180)
  })
})
