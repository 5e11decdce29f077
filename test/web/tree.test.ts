import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hang, withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('the tree on a served store', () => {
  const { stay, visit } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const pageOf = (id: string) => `${served.url}#/tree/task/${id}`
  const create = async (title: string, more: object = {}) =>
    (await served.tree.create({ title, ...more })).id

  test('an empty tree says what to do, and a task can be made', async () => {
    const guest = await stay(`${served.url}#/tree`)
    await guest.says('No tasks yet.')
    await guest.press('New task')
    await guest.page.getByLabel('Title').fill('The first of all')
    await guest.page.getByLabel('Type').selectOption('epic')
    await guest.page.getByLabel('Priority').selectOption('1')
    await guest.page.getByLabel('Tags, separated by commas').fill('one, two')
    await guest.press('Create')
    await guest.page.getByRole('link', { name: 'The first of all' }).waitFor()
    const [task] = (await served.tree.list()).tasks
    assert.deepEqual([task?.type, task?.priority, task?.tags], ['epic', 1, ['one', 'two']])
  })

  test('claim, complete with a summary, reject with a reason, unblock', async () => {
    const id = await create('Go all the way')
    const guest = await stay(pageOf(id))
    await guest.page.getByLabel('Acting as').fill('ada')
    await guest.press('Claim')
    await guest.says('It is claimed.')
    assert.equal((await served.tree.get(id)).claimed_by, 'ada')
    await guest.press('Complete')
    await guest.page.getByLabel('Summary').fill('It works now')
    await guest.page.locator('dialog').getByRole('button', { name: 'Complete' }).click()
    await guest.says('It is waiting for approval.')
    await guest.says('It works now')
    await guest.press('Reject')
    await guest.page.getByLabel('Reason').fill('Not on Sundays')
    await guest.page.locator('dialog').getByRole('button', { name: 'Reject' }).click()
    await guest.says('It is blocked.')
    await guest.press('Unblock')
    await guest.says('It is open again.')
    assert.equal((await served.tree.get(id)).status, 'open')
    // Who has no name acts as the dashboard, which later tests go by.
    await guest.page.getByLabel('Acting as').fill('')
  })

  test('block, release, approve, tags, edit, and a part', async () => {
    const id = await create('Other ways')
    const guest = await stay(pageOf(id))
    const dialog = (name: string) => guest.page.locator('dialog').getByRole('button', { name })
    await guest.press('Add a part…')
    await guest.page.getByLabel('Title').fill('A part of it')
    await guest.press('Create')
    await guest.says('Added “A part of it”.')
    const [part] = (await served.tree.list({ parent_id: [id] })).tasks
    assert.equal(part?.title, 'A part of it')
    await guest.press('Edit…')
    await guest.page.getByLabel('Text').fill('More words')
    await guest.press('Save')
    await guest.says('Saved.')
    assert.equal((await served.tree.get(id)).body, 'More words')
    await guest.press('Claim')
    await guest.press('Release')
    await guest.says('It is open again.')
    await guest.press('Claim')
    await guest.press('Block')
    await dialog('Block').click()
    await guest.says('It is blocked and unclaimed.')
    await guest.press('Unblock')
    await guest.press('Claim')
    await guest.press('Complete')
    await dialog('Complete').click()
    await guest.press('Approve')
    await guest.says('It is closed.')
    await guest.press('Tags…')
    await guest.page.getByLabel('Tags, separated by commas').fill('one, two')
    await dialog('Tags').click()
    await guest.says('Its tags are changed.')
    assert.deepEqual((await served.tree.get(id)).tags, ['one', 'two'])
  })

  test('why a task gets its grimoire', async () => {
    const guest = await stay(pageOf(await create('Look after keys', { tags: ['auth-flow'] })))
    await guest.says('security-audit')
    await guest.says(/matches: any_tags matched/)
    await guest.says(/does not match: type 'task' not in/)
  })

  test('dragged onto another it is a part of that; moved by keys it is a root again', async () => {
    const [parent, child] = [await create('The whole'), await create('The part')]
    const guest = await stay(`${served.url}#/tree`)
    const row = (name: string) => guest.page.getByRole('link', { name, exact: true })
    await row('The part').dragTo(row('The whole'))
    await guest.says('It is part of “The whole” now.')
    assert.equal((await served.tree.get(child)).parent_id, parent)
    await guest.press('Close The whole, 1 below')
    await row('The part').waitFor({ state: 'detached' })
    await guest.page.goto(pageOf(child))
    await guest.press('Move…')
    await guest.page.getByLabel(/ID of the parent task/).fill('')
    await guest.page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await guest.says('It is moved.')
    assert.equal((await served.tree.get(child)).parent_id, null)
  })

  test('a move that would make a circle is refused, and says why', async () => {
    const parent = await create('Above')
    const child = await served.tree.createSubtask(parent, { title: 'Below' })
    const guest = await stay(pageOf(parent))
    guest.expect(/400/)
    await guest.press('Move…')
    await guest.page.getByLabel(/ID of the parent task/).fill(child.id)
    await guest.page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await guest.page.locator('.outcome .bad').waitFor()
    assert.equal((await served.tree.get(parent)).parent_id, null)
  })

  test('two people: who acts on what is no more is told so', async () => {
    const id = await create('Wanted by two')
    const guest = await stay(pageOf(id))
    await guest.says('does not match')
    await guest.page.route(`**/api/tasks/${id}`, (route) => hang(route))
    await served.tree.claim(id, 'grace')
    guest.expect(/412|409|ERR_FAILED/)
    await guest.press('Claim')
    await guest.page.locator('.outcome .bad', { hasText: 'Nothing was changed.' }).waitFor()
    assert.equal((await served.tree.get(id)).claimed_by, 'grace')
  })

  test('the board: live, dragged from lane to lane as the rules allow, and moved by keys', async () => {
    const id = await create('On the board')
    const guest = await stay(`${served.url}#/tree/board`)
    const lane = (status: string) => guest.page.locator(`.l-${status}`)
    const inLane = (status: string) => lane(status).locator('.ticket', { hasText: 'On the board' })
    const statusOf = async () => (await served.tree.get(id)).status
    await inLane('open').waitFor()
    await served.tree.claim(id, 'grace')
    await inLane('in_progress').waitFor()
    // What another holds only they may complete; given back it may be.
    guest.expect(/403|409/)
    await inLane('in_progress').dragTo(lane('pending_merge'))
    await guest.page.locator('.outcome .bad', { hasText: 'grace' }).waitFor()
    assert.equal(await statusOf(), 'in_progress')
    await inLane('in_progress').dragTo(lane('open'))
    await guest.says('“On the board” is open now.')
    // From open nothing leads to closed: what is dropped there stays.
    await inLane('open').dragTo(lane('closed'))
    assert.equal(await statusOf(), 'open')
    await guest.page.getByRole('button', { name: 'Move On the board' }).focus()
    await guest.page.keyboard.press('Enter')
    await guest.says('Where to?')
    // It has the focus, and a press counts once it was seen.
    const first = guest.page.getByRole('dialog').getByRole('button', { name: 'in progress' })
    await first.click({ trial: true })
    await guest.page.keyboard.press('Enter')
    // What is said moves the lanes, and a drag begins when they stand still.
    await guest.says('“On the board” is in progress now.')
    await inLane('in_progress').waitFor()
    assert.equal((await served.tree.get(id)).claimed_by, 'dashboard')
    await inLane('in_progress').dragTo(lane('blocked'))
    await guest.page.getByLabel('Reason').fill('No paint')
    await guest.press('Block')
    await inLane('blocked').waitFor()
    assert.equal(await statusOf(), 'blocked')
  })

  test('a deep branch can be read on a phone, its rows say their level, and its head stays in front', async () => {
    let parent_id: string | null = null
    for (let level = 1; level <= 20; level++)
      parent_id = (await served.tree.create({ title: `Deep ${level}`, parent_id })).id
    const guest = await visit(`${served.url}#/tree`)
    const { page } = guest
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('.rows tbody a').first().focus()
    await page.keyboard.press('End')
    await guest.says('Deep 20')
    for (const level of [20, 13, 12]) {
      const title = page.getByRole('link', { name: `Deep ${level}`, exact: true })
      const box = await title.boundingBox()
      assert.ok(box && box.width > 50, `${level}: ${box?.width}`)
    }
    await guest.says('P2 · level 20')
    const isInFront = await page.evaluate(() => {
      const [rows, head] = ['.rows', '.rows thead'].map((each) => document.querySelector(each))
      if (!rows || !head) return false
      const heights = Array.from({ length: 64 }, (_, px) => {
        rows.scrollTop = px
        const { left, top, height } = head.getBoundingClientRect()
        const points = Array.from({ length: 20 }, (_, n) => left + 8 + 8 * n)
        return points.every((x) => head.contains(document.elementFromPoint(x, top + height / 2)))
      })
      return heights.every(Boolean)
    })
    assert.ok(isInFront)
  })
})
