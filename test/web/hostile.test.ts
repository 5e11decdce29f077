import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { Served } from './served.ts'

const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script><b>bold</b>'
const turned = 'invoice\u202Efdp.exe'

/** As deep as JSON may be nested. */
function deep(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level++) value = { [`level${level}`]: value }
  return value
}

describe('hostile contents', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test('markup is text, and nothing of it runs', async () => {
    const input = { [markup]: markup, link: 'javascript:alert(3)' }
    const { id } = await served.queue.submit({ type: markup, input, idempotencyKey: markup })
    await served.list.add(markup, ['<i>tag</i>'])
    const { id: inTree } = await served.tree.create({
      title: markup,
      body: markup,
      tags: ['<u>x</u>'],
    })
    const guest = await stay(served.url)
    for (const path of [
      'queue',
      'queue/tasks',
      `queue/task/${id}`,
      'lists',
      'tree',
      'tree/board',
      `tree/task/${inTree}`,
    ]) {
      await guest.page.goto(`${served.url}#/${path}`)
      await guest.says(markup)
      const made = await guest.page.evaluate<number>(
        "document.querySelectorAll('#app img, #app script, #app b, #app i, #app u').length",
      )
      assert.equal(made, 0, path)
    }
  })

  test('what turns the direction of text is shown by its number', async () => {
    const { id } = await served.queue.submit({
      type: turned,
      input: { name: turned, tab: 'a\u0007b' },
    })
    const guest = await stay(`${served.url}#/queue/task/${id}`)
    await guest.says('invoice⟨U+202E⟩fdp.exe')
    await guest.says('a⟨U+0007⟩b')
    assert.equal((await guest.page.content()).includes('\u202E'), false)
  })

  test('huge and deep JSON does not stop the page: what is closed is not there', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => at)
    const { id } = await served.queue.submit({
      type: 'huge',
      input: { rows, text: 'x'.repeat(500_000) },
    })
    const nested = await served.queue.submit({ type: 'deep', input: deep(60) })
    const guest = await stay(`${served.url}#/queue/task/${id}`)
    await guest.press('rows: [ 40,000 ]')
    await guest.press('39,900 more')
    await guest.says('39,800 more')
    await guest.says('show all 500,000 characters')
    const size = await guest.page.evaluate<number>("document.querySelectorAll('#app *').length")
    assert.ok(size < 2_000, `${size} elements`)
    await guest.page.goto(`${served.url}#/queue/task/${nested.id}`)
    for (let level = 58; level > 40; level--) await guest.press(`level${level}: { 1 }`)
    await guest.says('level40')
    const deepest = await served.queue.submit({ type: 'deepest', input: deep(1_500) })
    await guest.page.goto(`${served.url}#/queue/task/${deepest.id}`)
    await guest.says(/it is nested too deeply/)
  })

  test('an address that nobody made leads to words, not to a broken page', async () => {
    const guest = await stay(`${served.url}#/nowhere/%E0%A4%A`)
    await guest.says('There is no such page.')
    guest.expect(/400|404/)
    await guest.page.goto(`${served.url}#/queue/task/${encodeURIComponent('../../models')}`)
    await guest.page.getByRole('alert').waitFor()
    await guest.page.goto(`${served.url}#/queue/tasks?status=<b>&shard=zz`)
    await guest.page.getByRole('alert').waitFor()
  })
})
