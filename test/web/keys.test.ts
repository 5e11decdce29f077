import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Visit, withBrowser } from './browser.ts'
import { fillLists, focused, rowInFocus } from './lists-ground.ts'
import { Served } from './served.ts'

const browser = withBrowser()
let served: Served

let ids: readonly string[] = []

beforeAll(async () => {
  served = await Served.start()
  ids = await fillLists(served)
})
afterAll(() => served[Symbol.asyncDispose]())

const open = (hash: string): Promise<Visit> => browser.visit(`${served.url}#${hash}`)

const tabStops = ({ page }: Visit, within: string): Promise<number> =>
  page
    .locator(within)
    .evaluate(
      (box) =>
        [...box.querySelectorAll<HTMLElement>('a[href], button, input, select, [tabindex]')].filter(
          (each) => each.tabIndex >= 0,
        ).length,
    )

const press = async ({ page }: Visit, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

describe('every list is one stop of the Tab key', () => {
  const lists = {
    '/queue/tasks': '.rows tbody',
    '/tree': '.rows tbody',
    '/jobs': '.plain-table tbody',
    '/lists': '.todo',
    '/plans': '.sessions',
  }
  for (const [hash, selector] of Object.entries(lists))
    test(`${hash}, and arrow keys move within it`, async () => {
      const visit = await open(hash)
      await visit.page.locator(`${selector} [data-row]`).first().waitFor()
      await eventually(async () => assert.equal(await tabStops(visit, selector), 1))
      await visit.page.locator(`${selector} [tabindex="0"]`).first().focus()
      const first = await rowInFocus(visit)
      if (hash === '/plans') return
      await press(visit, 'ArrowDown', 'ArrowDown')
      const third = await eventually(async () => {
        const at = await rowInFocus(visit)
        assert.notEqual(at, first)
        return at
      })
      await press(visit, 'End')
      await eventually(async () => {
        const at = await rowInFocus(visit)
        assert.ok(at !== null && at !== third && at !== first)
      })
      await press(visit, 'Home')
      await eventually(async () => assert.equal(await rowInFocus(visit), first))
      assert.equal(await tabStops(visit, selector), 1)
    })

  test('left and right go through the controls of a row of the list', async () => {
    const visit = await open('/lists')
    await visit.says('to do 0')
    await visit.page.locator('.todo [tabindex="0"]').first().focus()
    await press(visit, 'ArrowRight', 'ArrowRight', 'ArrowRight')
    assert.match(await focused(visit), /^Edit/)
  })

  test('a row keeps the focus while the list is scrolled away from it', async () => {
    const visit = await open('/queue/tasks')
    await visit.page.locator('.rows [tabindex="0"]').first().focus()
    await press(visit, 'ArrowDown')
    const before = await rowInFocus(visit)
    await visit.page.locator('.rows').evaluate((box) => box.scrollTo(0, 4_000))
    await visit.page.waitForTimeout(300)
    assert.equal(await rowInFocus(visit), before)
    await press(visit, 'ArrowDown')
    await eventually(async () => assert.notEqual(await rowInFocus(visit), before))
  })
})

describe('the tree', () => {
  const rowProps = ({ page }: Visit, title: string) =>
    page
      .locator('tr[data-row]', { hasText: title })
      .first()
      .evaluate((each) =>
        ['aria-level', 'aria-expanded', 'aria-posinset', 'aria-setsize'].map((name) =>
          each.getAttribute(name),
        ),
      )

  test('is a treegrid whose rows tell their level, place and state', async () => {
    const visit = await open('/tree')
    await visit.says('second part of 1')
    assert.equal(await visit.page.getByRole('treegrid', { name: 'Tree' }).count(), 1)
    assert.deepEqual(await rowProps(visit, 'root 0'), ['1', 'true', '1', '60'])
    assert.deepEqual(await rowProps(visit, 'second part of 1'), ['2', null, '2', '2'])
  })

  test('left closes a row or goes to the one above it, right opens it or goes below it', async () => {
    const visit = await open('/tree')
    await visit.says('first part of 0')
    await visit.page.getByRole('link', { name: 'second part of 0' }).focus()
    await press(visit, 'ArrowLeft')
    assert.equal(await focused(visit), 'root 0')
    await press(visit, 'ArrowLeft')
    await visit.saysNothingOf('first part of 0')
    assert.deepEqual((await rowProps(visit, 'root 0'))[1], 'false')
    await press(visit, 'ArrowRight')
    await visit.says('first part of 0')
    await press(visit, 'ArrowRight')
    await eventually(async () => assert.equal(await focused(visit), 'first part of 0'))
    await press(visit, 'Enter')
    await visit.page.getByRole('heading', { name: 'first part of 0' }).waitFor()
  })
})

describe('the focus is never lost', () => {
  test('a task of the list that is done leaves it to the one after it', async () => {
    const visit = await open('/lists')
    await visit.says('to do 0')
    await visit.key(visit.page.getByRole('checkbox').first(), 'Space')
    await visit.says('is done')
    await eventually(async () => assert.match((await rowInFocus(visit)) ?? '', /^[0-9a-f]{128}$/))
    await served.list.update((await served.list.query({ done: true }))[0]?.id as string, {
      done: false,
    })
  })

  test('an action whose button goes away leaves it to the title, not to another action', async () => {
    const visit = await open(`/queue/task/${ids[5]}`)
    await visit.key(visit.page.getByRole('button', { name: 'Replay' }))
    await visit.page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
    await visit.page.locator('h1:focus', { hasText: 'pending' }).waitFor()
    await press(visit, 'Enter')
    await visit.says('pending again')
    assert.equal((await served.queue.get(ids[5] as string)).status, 'pending')
  })

  test('the same for a task of the tree, and where a form runs the action', async () => {
    const { id } = await served.tree.create({ title: 'By keyboard' })
    const visit = await open(`/tree/task/${id}`)
    await visit.key(visit.page.getByRole('button', { name: 'Claim' }))
    await visit.page.locator('h1:focus', { hasText: 'in progress' }).waitFor()
    await visit.key(visit.page.getByRole('button', { name: 'Complete' }))
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
    await visit.page.locator('h1:focus', { hasText: 'pending merge' }).waitFor()
    visit.expect(/404/)
    await served.tree.approve(id)
    await served.tree.delete(id)
  })

  test('a button of a job that becomes another action meanwhile does not keep it', async () => {
    const id = await served.jobs.submit({ payload: new TextEncoder().encode('1'), maxAttempts: 1 })
    await served.jobs.claim(id, 'w1')
    await served.jobs.fail(id, new Error('no network'))
    const visit = await open(`/jobs/${id}`)
    await visit.page.getByRole('button', { name: 'Try once more' }).focus()
    await served.jobs.retry(id, { attempts: 1 })
    await served.jobs.claim(id, 'w2')
    await visit.page.getByRole('button', { name: 'Take it back' }).waitFor()
    await visit.page.locator('h1:focus', { hasText: 'claimed' }).waitFor()
  })

  test('a question before a deletion begins at the way back, for a key that is held down', async () => {
    const { id } = await served.list.add('Held down')
    const visit = await open('/lists')
    await visit.says('Held down')
    await visit.key(visit.page.getByRole('button', { name: 'Delete Held down' }))
    await visit.page.locator('dialog button:focus', { hasText: 'Go back' }).waitFor()
    await press(visit, 'Enter')
    await visit.shows('dialog', 0)
    assert.equal(await focused(visit), 'Delete Held down')
    await served.list.delete(id)
  })

  test('a dialog that closes gives it back', async () => {
    const visit = await open('/tree')
    await visit.says('root 0')
    await visit.page.getByRole('button', { name: 'New task' }).focus()
    await press(visit, 'Enter')
    await visit.page.getByRole('dialog').waitFor()
    await press(visit, 'Escape')
    await eventually(async () => assert.equal(await focused(visit), 'New task'))
  })

  test('a link to another view leaves it in the view', async () => {
    const visit = await open('/jobs')
    await visit.page.locator('tbody a').first().focus()
    await press(visit, 'Enter')
    await visit.page.getByRole('heading', { name: /^Job/, level: 1 }).waitFor()
    const id = () => visit.page.evaluate(() => document.activeElement?.id)
    await eventually(async () => assert.equal(await id(), 'main'))
  })

  test('whoever clicks beside everything gives it up', async () => {
    const visit = await open('/lists')
    await visit.says('to do 0')
    await visit.page.getByRole('checkbox').first().focus()
    await visit.page.locator('h1').click()
    await served.list.add('another one')
    await visit.says('another one')
    assert.equal(await rowInFocus(visit), null)
  })
})

test('every view has a title of its own', async () => {
  const titles = new Set<string>()
  const [job] = (await served.jobs.list('pending', { limit: 1 })).tasks
  const hashes = {
    '/queue': 'Queue · Holdfast',
    '/queue/tasks': 'Tasks · Queue · Holdfast',
    '/queue/tasks?status=failed': 'Tasks, failed · Queue · Holdfast',
    '/queue/workers': 'Workers · Queue · Holdfast',
    [`/queue/task/${ids[0]}`]: `Task ${ids[0]} · Queue · Holdfast`,
    '/tree': 'Tree · Holdfast',
    '/tree/board': 'Board · Tree · Holdfast',
    '/plans': 'Plans · Holdfast',
    '/lists': 'List · Holdfast',
    '/jobs': 'Jobs · Holdfast',
    [`/jobs/${job?.id}`]: `Job ${job?.id} · Jobs · Holdfast`,
  }
  const visit = await open('/queue')
  for (const [hash, title] of Object.entries(hashes)) {
    await visit.page.goto(`${served.url}#${hash}`)
    await eventually(async () => assert.equal(await visit.page.title(), title))
    titles.add(title)
  }
  assert.equal(titles.size, Object.keys(hashes).length)
  await visit.page.goto(`${served.url}#/plans`)
  await visit.page.locator('.session').click()
  await eventually(async () =>
    assert.equal(await visit.page.title(), 'Ship the shop · Plans · Holdfast'),
  )
})

test('a whole row opens what it shows', async () => {
  const visit = await open('/queue/tasks')
  const cell = visit.page.locator('tbody tr[data-row] .col-updated').first()
  await cell.waitFor()
  const { x, y, width, height } = (await cell.boundingBox()) ?? assert.fail('no such cell')
  await visit.page.mouse.click(x + width / 2, y + height / 2)
  await visit.page.getByText('Input').first().waitFor()
  assert.match(visit.page.url(), /#\/queue\/task\//)
})

test('all figures of the types are seen at 1280 and 1100 pixels, however long their names', async () => {
  const names = ['send-email-to-ada', `a.${'very.'.repeat(12)}long.name`, 'x'.repeat(200)]
  await served.queue.submitMany(names.map((type) => ({ type })))
  const visit = await open('/queue')
  for (const width of [1280, 1100]) {
    await visit.page.setViewportSize({ width, height: 860 })
    for (const name of names) {
      const link = visit.page.locator('.figures').getByRole('link', { name, exact: true })
      assert.equal(await link.getAttribute('title'), name)
      const { width: shown = 0 } = (await link.locator('xpath=..').boundingBox()) ?? {}
      assert.ok(shown >= 75, `${shown} px of a name at ${width}`)
    }
    const cut = await visit.page.locator('.figures').evaluate((table) => {
      const box = table.closest('.scroll') as HTMLElement
      return box.scrollWidth - box.clientWidth
    })
    assert.ok(cut <= 0, `${cut} px are cut off at ${width}`)
    await visit.picture(`types-${width}`)
  }
  await visit.page.setViewportSize({ width: 1280, height: 860 })
})
