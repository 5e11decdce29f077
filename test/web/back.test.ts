import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Visit, withBrowser } from './browser.ts'
import { fillLists, focused, rowInFocus } from './lists-ground.ts'
import { Served } from './served.ts'

const browser = withBrowser()
let served: Served

beforeAll(async () => {
  served = await Served.start()
  await fillLists(served)
})
afterAll(() => served[Symbol.asyncDispose]())

const open = (hash: string): Promise<Visit> => browser.visit(`${served.url}#${hash}`)

describe('Back', () => {
  test('finds place, row and length of a long list of the queue', async () => {
    const visit = await open('/queue/tasks')
    const box = visit.page.locator('.rows')
    await visit.page.locator('.rows tbody a').first().waitFor()
    await box.evaluate((each) => each.scrollTo(0, 4_000))
    const link = visit.page.locator('tr[data-at="95"] a')
    await link.waitFor()
    const scrolled = await box.evaluate((each) => each.scrollTop)
    await link.click()
    await visit.page
      .getByRole('heading', { level: 1, name: /Task|type/ })
      .first()
      .waitFor()
    await visit.page.goBack()
    await visit.page.locator('tr[data-at="95"] a').waitFor()
    await eventually(async () => {
      const now = await box.evaluate((each) => each.scrollTop)
      assert.ok(Math.abs(now - scrolled) <= 2, `${now} instead of ${scrolled}`)
    })
    await eventually(async () =>
      assert.equal(
        await rowInFocus(visit),
        await visit.page.locator('tr[data-at="95"]').getAttribute('data-row'),
      ),
    )
  })

  test('finds filter and open branches of the tree', async () => {
    const visit = await open('/tree')
    await visit.says('first part of 0')
    await visit.page.getByRole('button', { name: /^Close root 0/ }).click()
    await visit.saysNothingOf('first part of 0')
    await visit.page.getByRole('link', { name: 'root 0', exact: true }).click()
    await visit.page.getByRole('heading', { name: 'root 0' }).waitFor()
    await visit.page.goBack()
    await visit.says('first part of 1')
    assert.equal(await visit.page.getByText('first part of 0').count(), 0)
    await visit.page.getByRole('searchbox').fill('second')
    await visit.page.getByRole('link', { name: 'second part of 1' }).click()
    await visit.page.getByRole('heading', { name: 'second part of 1' }).waitFor()
    await visit.page.goBack()
    await eventually(async () =>
      assert.equal(await visit.page.getByRole('searchbox').inputValue(), 'second'),
    )
    await visit.shows('tr[data-row]', 2)
  })

  test('finds the place on a page that scrolls as a whole; a new view begins at its top', async () => {
    const visit = await open('/jobs')
    await visit.page.locator('tbody [data-row]').nth(39).waitFor()
    await visit.page.evaluate(() => scrollTo(0, 600))
    await visit.page.waitForTimeout(200)
    const at = await visit.page.evaluate(() => scrollY)
    assert.ok(at > 100)
    await visit.page.locator('tbody [data-row] a').nth(25).click()
    await visit.page.getByRole('heading', { name: /^Job/, level: 1 }).waitFor()
    assert.equal(await visit.page.evaluate(() => scrollY), 0)
    await visit.page.goBack()
    await eventually(async () => assert.equal(await visit.page.evaluate(() => scrollY), at))
  })
})

describe('what is deleted is confirmed first', () => {
  test('a task of the list', async () => {
    await served.list.add('throw me away')
    const visit = await open('/lists')
    await visit.says('throw me away')
    await visit.press('Delete throw me away')
    await visit.page.getByRole('dialog', { name: 'Delete this task?' }).waitFor()
    await visit.press('Go back')
    await visit.says('throw me away')
    await visit.press('Delete throw me away')
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await visit.says('Deleted “throw me away”.')
    assert.notEqual(await focused(visit), 'BODY')
  })

  test('a job', async () => {
    const visit = await open('/jobs?status=completed')
    await visit.page.locator('tbody a').first().click()
    await visit.press('Delete')
    const dialog = visit.page.getByRole('dialog', { name: 'Delete this job?' })
    await dialog.waitFor()
    assert.equal(visit.count(/^DELETE/), 0)
    // The stream of changes may tell of the deletion before its answer comes.
    visit.expect(/404/)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await visit.page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
    assert.equal(visit.count(/^DELETE/), 1)
  })
})

describe('the pages of the jobs', () => {
  const rows = 120
  beforeAll(async () => {
    for (let n = 0; n < rows; n++) await served.jobs.submit({ payload: Buffer.from('1') })
  })

  const firstRow = async ({ page }: Visit) =>
    page.locator('tbody [data-row]').first().getAttribute('data-row')
  const isAtFirstRow = (visit: Visit) =>
    eventually(async () => {
      assert.ok((await rowInFocus(visit)) !== null, await focused(visit))
      assert.equal(await rowInFocus(visit), await firstRow(visit))
    })

  for (const width of [1280, 390])
    test(`another one begins with the focus at its first row, at ${width} pixels`, async () => {
      const visit = await browser.visit(`${served.url}#/jobs`, {
        viewport: { width, height: 800 },
      })
      for (const name of ['Next page', 'First page']) {
        const link = visit.page.getByRole('link', { name })
        await link.waitFor()
        const before = await firstRow(visit)
        await link.focus()
        await visit.page.keyboard.press('Enter')
        await eventually(async () => assert.notEqual(await firstRow(visit), before))
        await isAtFirstRow(visit)
      }
      const before = await rowInFocus(visit)
      await visit.page.goBack()
      await eventually(async () => assert.notEqual(await firstRow(visit), before))
      await isAtFirstRow(visit)
    })
})
