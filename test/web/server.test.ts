import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('the server behind the page', () => {
  const { visit, stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test('goes away: what is shown is marked as old; comes back: it is new again', async () => {
    const id = await served.failedTask()
    const guest = await stay(`${served.url}#/queue/task/${id}`)
    await guest.says('Live')
    guest.expect(/ERR_|Failed to load/)
    await served.down()
    await guest.says('Not connected')
    await guest.press('Replay')
    await guest.says(/As of \d\d:\d\d:\d\d: this may be out of date\./)
    await guest.page.locator('.is-stale').first().waitFor()
    await served.queue.replay(id)
    await served.up()
    await guest.page.locator('h1 .status', { hasText: 'pending' }).waitFor()
    await guest.saysNothingOf(/this may be out of date/)
    await guest.says('Live')
  })

  test('wants a token: it is asked for, sent, and kept nowhere', async () => {
    await using guarded = await Served.start({ token: 'a-secret-of-the-server' })
    await guarded.queue.submit({ type: 'guarded' })
    await using guest = await visit(guarded.url)
    guest.expect(/401/)
    await guest.says('This server needs a token')
    await guest.page.getByLabel('Token').fill('wrong')
    await guest.press('Connect')
    await guest.says('Wrong token.')
    await guest.page.getByLabel('Token').fill('a-secret-of-the-server')
    await guest.press('Connect')
    await guest.says('Live')
    await guest.page.locator('td', { hasText: 'guarded' }).first().waitFor()
    const kept = await guest.page.evaluate<string>(
      'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])',
    )
    assert.ok(!kept.includes('secret'), kept)
  })

  test('has another clock than this computer: times go by the store’s, and it is said', async () => {
    const { id } = await served.queue.submit({ type: 'later', delayMs: 7_200_000 })
    await using guest = await visit('about:blank')
    await guest.page.clock.install({ time: Date.now() + 3_630_000 })
    await guest.page.goto(`${served.url}#/queue/task/${id}`)
    await guest.says(/This computer’s clock is 1 h.* ahead/)
    await guest.says(/^in 1 h 5\d min$|^in 2 h/)
  })

  test('light and dark: as the system says, until the reader chooses', async () => {
    const guest = await stay(served.url)
    await guest.page.emulateMedia({ colorScheme: 'dark' })
    await guest.says('Live')
    const isPaper = (colour: string) =>
      eventually(async () => {
        const paper = 'getComputedStyle(document.body).backgroundColor'
        assert.equal(await guest.page.evaluate<string>(paper), colour)
      })
    await isPaper('rgb(18, 20, 23)')
    await guest.press(/^Colors/)
    await isPaper('rgb(247, 247, 245)')
    await guest.press(/^Colors/)
    await isPaper('rgb(18, 20, 23)')
  })
})
