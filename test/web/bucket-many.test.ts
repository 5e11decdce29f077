import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'

describe('320 tasks in a bucket', () => {
  const { visit } = withBrowser()
  let scene: BucketScene
  let first: string
  beforeAll(async () => {
    scene = await BucketScene.start()
    const tasks = Array.from({ length: 320 }, (_, at) => ({ type: 'many', input: { at } }))
    const made = await scene.queue.submitMany(tasks)
    for (const { id } of made.slice(0, 2)) await scene.queue.cancel(id)
    first = made[0]?.id.charAt(0) as string
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  const open = async (path: string) => {
    const guest = await visit(`${scene.url}#/${path}`)
    guest.expect(/40[034]/)
    await scene.connect(guest)
    return guest
  }

  test('are listed with a request for each shard, and each is read once', async () => {
    const guest = await open('queue/tasks')
    await guest.says('100 tasks loaded')
    const reads = () => guest.count(/\/tasks\/[0-9a-f]\//)
    assert.ok(reads() <= 140, `${reads()} objects were read`)
    const before = reads()
    const lists = () => guest.requests.length - reads()
    const listsBefore = lists()
    await eventually(() => assert.ok(lists() >= listsBefore + 16, 'every shard is listed again'))
    await guest.page.waitForTimeout(1_000)
    assert.equal(reads(), before, 'what has not changed is not read again')
    assert.ok(lists() <= listsBefore + 36, 'only lists, once')
  })

  test('more than are read or listed: the page says so, and counts on demand', async () => {
    const guest = await open('queue')
    await guest.says('320 tasks in all.')
    await guest.page.locator('.c-pending', { hasText: '318' }).waitFor()
    await guest.page.locator('.c-cancelled', { hasText: '–' }).waitFor()
    await guest.press('Count them')
    await guest.page.locator('.c-cancelled', { hasText: '2' }).waitFor()
    await guest.saysNothingOf('320 tasks in all.')
    // A shard whose list does not end: every page of it says that there is another.
    await guest.page.route(
      (url) => url.searchParams.get('prefix') === `tasks/${first}/`,
      async (route) => {
        const isNext = new URL(route.request().url()).searchParams.has('continuation-token')
        const xml = isNext
          ? '<ListBucketResult></ListBucketResult>'
          : (await (await route.fetch()).text()).replace(/<IsTruncated>\w+<\/IsTruncated>/, '')
        const more =
          '<IsTruncated>true</IsTruncated><NextContinuationToken>on</NextContinuationToken>'
        const body = xml.replace(/<\/\w+>\s*$/, (end) => `${more}${end}`)
        await route.fulfill({ contentType: 'application/xml', body })
      },
    )
    await guest.page.goto(`${scene.url}#/queue/tasks`)
    await guest.says(`Shard ${first}: more than 10,000 tasks each.`)
    await guest.page.goto(`${scene.url}#/queue`)
    await guest.says(/There are more tasks than the 320 counted/)
    await guest.page.locator('.c-pending', { hasText: '318+' }).waitFor()
  })
})
