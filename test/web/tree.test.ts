import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('the tree on a served store', () => {
  const { visit } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const pageOf = (id: string) => `${served.url}#/tree/task/${id}`
  const create = async (title: string, more: object = {}) =>
    (await served.tree.create({ title, ...more })).id

  test('an empty tree says what to do, and a task can be made', async () => {
    const guest = await visit(`${served.url}#/tree`)
    await guest.says('The tree has no task yet.')
    await guest.press('New task')
    await guest.page.getByLabel('Title').fill('The first of all')
    await guest.press('Create')
    await guest.page.getByRole('link', { name: 'The first of all' }).waitFor()
  })

  test('claim, complete with a summary, reject with a reason, unblock', async () => {
    const id = await create('Go all the way')
    const guest = await visit(pageOf(id))
    await guest.page.getByLabel('Acting as').fill('ada')
    await guest.press('Claim')
    await guest.says('It is claimed.')
    assert.equal((await served.tree.get(id)).claimed_by, 'ada')
    await guest.press('Complete')
    await guest.page.getByLabel('Summary').fill('It works now')
    await guest.page.locator('dialog').getByRole('button', { name: 'Complete' }).click()
    await guest.says('It waits for approval.')
    await guest.says('It works now')
    await guest.press('Reject')
    await guest.page.getByLabel('Reason').fill('Not on Sundays')
    await guest.page.locator('dialog').getByRole('button', { name: 'Reject' }).click()
    await guest.says('It is blocked.')
    await guest.press('Unblock')
    await guest.says('It is open again.')
    assert.equal((await served.tree.get(id)).status, 'open')
  })

  test('block, release, approve, tags, and a part', async () => {
    const id = await create('Other ways')
    const guest = await visit(pageOf(id))
    await guest.press('Claim')
    await guest.press('Release')
    await guest.says('It is open again.')
    await guest.press('Claim')
    await guest.press('Block')
    await guest.page.locator('dialog').getByRole('button', { name: 'Block' }).click()
    await guest.says('It is blocked, and nobody’s.')
    await guest.press('Unblock')
    await guest.press('Claim')
    await guest.press('Complete')
    await guest.page.locator('dialog').getByRole('button', { name: 'Complete' }).click()
    await guest.press('Approve')
    await guest.says('It is closed.')
    await guest.press('Tags…')
    await guest.page.getByLabel('Tags, with commas between').fill('one, two')
    await guest.page.locator('dialog').getByRole('button', { name: 'Tags' }).click()
    await guest.says('It has these tags now.')
    assert.deepEqual((await served.tree.get(id)).tags, ['one', 'two'])
  })

  test('why a task gets its grimoire', async () => {
    const guest = await visit(pageOf(await create('Look after keys', { tags: ['auth-flow'] })))
    await guest.says('security-audit')
    await guest.says(/matches: any_tags matched/)
    await guest.says(/does not match: type 'task' not in/)
  })

  test('dragged onto another it is a part of that; moved by keys it is a root again', async () => {
    const [parent, child] = [await create('The whole'), await create('The part')]
    const guest = await visit(`${served.url}#/tree`)
    const row = (name: string) => guest.page.getByRole('link', { name, exact: true })
    await row('The part').dragTo(row('The whole'))
    await guest.says('It is part of “The whole” now.')
    assert.equal((await served.tree.get(child)).parent_id, parent)
    await guest.press('Close The whole, 1 below')
    await row('The part').waitFor({ state: 'detached' })
    await guest.page.goto(pageOf(child))
    await guest.press('Move…')
    await guest.page.getByLabel(/Id of the task/).fill('')
    await guest.page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await guest.says('It is moved.')
    assert.equal((await served.tree.get(child)).parent_id, null)
  })

  test('a move that would make a circle is refused, and says why', async () => {
    const parent = await create('Above')
    const child = await served.tree.createSubtask(parent, { title: 'Below' })
    const guest = await visit(pageOf(parent))
    guest.expect(/400/)
    await guest.press('Move…')
    await guest.page.getByLabel(/Id of the task/).fill(child.id)
    await guest.page.locator('dialog').getByRole('button', { name: 'Move' }).click()
    await guest.page.locator('.outcome .bad').waitFor()
    assert.equal((await served.tree.get(parent)).parent_id, null)
  })

  test('two people: who acts on what is no more is told so', async () => {
    const id = await create('Wanted by two')
    const guest = await visit(pageOf(id))
    await guest.says('does not match')
    await guest.page.route(`**/api/tasks/${id}`, (route) => setTimeout(() => route.abort(), 60_000))
    await served.tree.claim(id, 'grace')
    guest.expect(/412|409|ERR_FAILED/)
    await guest.press('Claim')
    await guest.page.locator('.outcome .bad', { hasText: 'Nothing was changed.' }).waitFor()
    assert.equal((await served.tree.get(id)).claimed_by, 'grace')
  })

  test('the board moves a task when somebody works on it', async () => {
    const id = await create('On the board')
    const guest = await visit(`${served.url}#/tree/board`)
    await guest.page.locator('.l-open', { hasText: 'On the board' }).waitFor()
    await served.tree.claim(id, 'grace')
    await guest.page.locator('.l-in_progress', { hasText: 'On the board' }).waitFor()
  })
})
