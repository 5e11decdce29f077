import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, until } from '../eventually.ts'
import { sharedMinistack } from '../servers/shared.ts'
import { type Visit, withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'
import { finish } from './outcomes.ts'

describe('a bucket that gives trouble', () => {
  const { visit, stay } = withBrowser()
  let scene: BucketScene
  let id: string
  beforeAll(async () => {
    scene = await BucketScene.start()
    id = (await scene.queue.submit({ type: 'mail', input: {}, maxRetries: 0 })).id
    await finish(scene.store, id, 'fail')
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  const open = async (given: Record<string, string> = {}) => {
    const ready = (page: Visit) => scene.connect(page, given)
    const guest = await stay(`${scene.url}#/queue/task/${id}`, ready)
    guest.expect(/40[0-9]/, /ERR_/, /CORS|Access-Control/)
    return guest
  }

  test('a session token that is none; keys that may only read show all, and change nothing', async () => {
    const keys = await scene.readingKeys()
    const guest = await open({ ...keys, 'Session token (optional)': 'nonsense' })
    await guest.says('The session token is not valid.')
    await scene.connect(guest, keys)
    await guest.says('Last error')
    await guest.press('Replay')
    await guest.says('These keys may not write here. Nothing was changed.')
    assert.equal((await scene.queue.get(id)).status, 'failed')
  })

  test('keys that expire while one looks: what is shown is marked as old', async () => {
    // Another server, which gives keys for seconds.
    await using brief = await BucketScene.start({ account: await sharedMinistack() })
    const { id: failed } = await brief.queue.submit({ type: 'mail', input: {}, maxRetries: 0 })
    await finish(brief.store, failed, 'fail')
    await using guest = await visit('about:blank')
    // It shows its page to nobody without keys.
    await guest.page.route('**/ui/**', async (route) => {
      const file = await brief.account.request(new URL(route.request().url()).pathname)
      const contentType = file.headers.get('content-type') ?? ''
      await route.fulfill({ contentType, body: Buffer.from(await file.arrayBuffer()) })
    })
    guest.expect(/40[0-9]/)
    await guest.page.goto(`${brief.url}#/queue/task/${failed}`)
    await guest.says('Look at a bucket')
    const keys = await brief.expiringKeys(30)
    await brief.connect(guest, keys)
    await guest.says('Last error')
    await until(async () => !(await brief.isGood(keys)))
    await guest.press('Archive')
    await guest.page.locator('.outcome .bad', { hasText: 'The keys have expired.' }).waitFor()
    await guest.says(/As of \d\d:\d\d:\d\d: this may be out of date/)
    assert.equal((await brief.queue.get(failed)).status, 'failed')
    await guest.press('Forget the keys')
    await guest.says('Look at a bucket')
  })

  test('goes away, and comes back', async () => {
    const guest = await open()
    await guest.says('Last error')
    await guest.page.context().setOffline(true)
    await guest.press('Archive')
    await guest.says(/The bucket does not answer this page/)
    await guest.says(/this may be out of date/)
    await guest.page.context().setOffline(false)
    await guest.press('Try again')
    await guest.saysNothingOf(/this may be out of date/)
  })

  test('one without CORS rules, asked from another address, says what to run', async () => {
    const other = await sharedMinistack()
    const bucket = await other.createBucket({ versioned: true })
    const guest = await open()
    await guest.press('Forget the keys')
    const endpoint = 'Endpoint (empty for AWS)'
    await scene.connect(guest, {
      Bucket: bucket,
      [endpoint]: other.endpoint.replace('127.0.0.1', 'localhost'),
      'Access key ID': other.accessKeyId,
      'Secret access key': other.secretAccessKey,
    })
    await guest.says(/its CORS rules do not allow the page/)
    await guest.says(/run qo ui deploy/)
    await scene.connect(guest, { Bucket: scene.bucket, [endpoint]: scene.account.endpoint })
    await guest.says('Last error')
  })

  test('this computer’s clock is off: requests are signed by the server’s, and it is said', async () => {
    const guest = await visit('about:blank')
    guest.expect(/40[034]/)
    await guest.page.clock.install({ time: Date.now() + 7_230_000 })
    await guest.page.goto(`${scene.url}#/queue/task/${id}`)
    await scene.connect(guest)
    await guest.says('Last error')
    await guest.says(/This computer’s clock is 2 h.* ahead/)
  })

  test('hidden tabs ask for nothing', async () => {
    const guest = await visit('about:blank')
    guest.expect(/40[0-9]/)
    await guest.page.clock.install()
    await guest.page.goto(`${scene.url}#/queue/task/${id}`)
    await scene.connect(guest)
    await guest.says('attempt 1 by worker-1')
    const hide = (isHidden: boolean) =>
      guest.page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    // What was under way may come to its end; no event tells that nothing else is asked.
    await sleep(1_000)
    const before = guest.requests.length
    await guest.page.clock.runFor(60_000)
    await sleep(200)
    assert.equal(guest.requests.length, before)
    await hide(false)
    await guest.page.clock.runFor(2_000)
    await eventually(() =>
      assert.ok(guest.requests.length > before, 'and begin again when they are seen'),
    )
  })
})
