import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Visit, withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'
import { Served } from './served.ts'

describe('a page of somebody else that shows ours in a frame', () => {
  const { visit } = withBrowser()
  let scene: BucketScene
  let served: Served
  /** What the other page holds, by its path. */
  const pages: Record<string, string> = {}
  const others = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Another page</title>${pages[url] ?? ''}`)
  })
  let other = ''
  beforeAll(async () => {
    scene = await BucketScene.start()
    served = await Served.start()
    await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve))
    other = `http://127.0.0.1:${(others.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    others.close()
    await served[Symbol.asyncDispose]()
    await scene[Symbol.asyncDispose]()
  })

  const framing = (url: string, more = ''): string => `<iframe src="${url}" ${more}></iframe>`
  const open = async (html: string): Promise<Visit> => {
    const path = `/${Object.keys(pages).length}`
    pages[path] = html
    const guest = await visit(other + path)
    // Of icons and of what a sandbox forbids.
    guest.expect(/404|sandbox/i)
    return guest
  }

  /** It says why it asks for nothing, and has asked nobody for anything but its own files. */
  async function assertRefused(guest: Visit, frame: FrameLocator): Promise<void> {
    await frame.getByText('Not inside another page').waitFor()
    assert.equal(await frame.locator('input, textarea, button, form').count(), 0)
    const asked = guest.requests.filter((request) => !/\/ui\/|\/\d+$|favicon/.test(request))
    assert.deepEqual(asked, [])
  }

  test('gets no form for keys from a bucket, but a link that leads out of the frame', async () => {
    const guest = await open(framing(scene.url))
    const frame = guest.page.frameLocator('iframe')
    await assertRefused(guest, frame)
    const [own] = await Promise.all([
      guest.page.context().waitForEvent('page'),
      frame.getByRole('link', { name: 'Open Holdfast in its own tab' }).click(),
    ])
    await own.getByText('Look at a bucket').waitFor()
  })

  test('nor in a frame within a frame, nor in a sandbox that knows its origin', async () => {
    pages['/900'] = framing(scene.url)
    const nested = await open(framing('/900'))
    await assertRefused(nested, nested.page.frameLocator('iframe').frameLocator('iframe'))
    const boxed = await open(
      framing(scene.url, 'sandbox="allow-scripts allow-same-origin allow-forms"'),
    )
    await assertRefused(boxed, boxed.page.frameLocator('iframe'))
  })

  for (const element of ['object', 'embed'])
    test(`nor in an ${element}`, async () => {
      const source = element === 'object' ? 'data' : 'src'
      const guest = await open(`<${element} ${source}="${scene.url}" type="text/html">`)
      const [, inside] = await eventually(async () => {
        const frames = guest.page.frames()
        assert.equal(frames.length, 2)
        return frames
      })
      await inside!.getByText('Not inside another page').waitFor()
      assert.equal(await inside!.locator('input, textarea, button, form').count(), 0)
    })

  test('nor on the same origin, from another object of the endpoint', async () => {
    const { origin } = new URL(scene.url)
    const guest = await open('')
    await guest.page.route(`${origin}/other-bucket/page.html`, (route) =>
      route.fulfill({ contentType: 'text/html', body: framing(scene.url) }),
    )
    await guest.page.goto(`${origin}/other-bucket/page.html`)
    await assertRefusedThere(guest)
  })
  const assertRefusedThere = async (guest: Visit) => {
    const frame = guest.page.frameLocator('iframe')
    await frame.getByText('Not inside another page').waitFor()
    assert.equal(await frame.locator('input').count(), 0)
  }

  test('gets nothing at all from a server', async () => {
    const { headers } = await fetch(served.url)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    const guest = await open(framing(served.url))
    guest.expect(/frame-ancestors|Refused to frame|Framing/)
    await guest.page.waitForTimeout(500)
    const [, frame] = guest.page.frames()
    assert.ok(!(await frame?.content().catch(() => ''))?.includes('Holdfast'))
  })
})
