import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'

describe('300 tasks in a bucket', () => {
  const { visit } = withBrowser()

  test('are listed with a request for each shard, and each is read once', async () => {
    await using scene = await BucketScene.start()
    const tasks = Array.from({ length: 300 }, (_, at) => ({ type: 'many', input: { at } }))
    await scene.queue.submitMany(tasks)
    await using guest = await visit(`${scene.url}#/queue/tasks`)
    guest.expect(/40[034]/)
    await scene.connect(guest)
    await guest.says('100 tasks loaded')
    const reads = () => guest.count(/\/tasks\/[0-9a-f]\//)
    assert.ok(reads() <= 140, `${reads()} objects were read`)
    const before = reads()
    const lists = () => guest.requests.length - reads()
    const listsBefore = lists()
    await guest.page.waitForTimeout(11_000)
    assert.equal(reads(), before, 'what has not changed is not read again')
    assert.ok(lists() > listsBefore && lists() <= listsBefore + 36, 'only lists, once')
  })
})
