import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('plans, list and jobs on a served store', () => {
  const { visit } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test('a plan grows while one looks', async () => {
    const { plans } = served
    const told = { cmd: 'np' }
    const guest = await visit(`${served.url}#/plans`)
    await guest.says('There is no plan yet.')
    const { sid } = (await plans.start(served.folder('work'))).session
    await plans.setGoal(sid, { title: 'Be seen', description: 'By everybody' }, told)
    await guest.page.getByRole('link', { name: /Be seen/ }).click()
    await guest.says('By everybody')
    await guest.says('No tasks yet.')
    await plans.addTasks(sid, [{ title: 'A step', description: 'A small one' }], told)
    await guest.says('A small one')
    await guest.says('Task added: “A step”')
    const id = (await plans.plan(sid)).tasks[0]?.id as string
    const reason = 'It was easy'
    await plans.updateTasks(sid, [{ id, status: 'done' }], { ...told, reason })
    await guest.says('1 of 1 completed')
    await guest.says(reason)
    await plans.archive(sid)
    await guest.page.locator('h1 .status', { hasText: 'archived' }).waitFor()
  })

  test('the list: a refusal, add with tags, done and undone, by tag, edited, deleted', async () => {
    const guest = await visit(`${served.url}#/lists`)
    await guest.says('Nothing to do here.')
    guest.expect(/400/)
    await guest.page.getByLabel('New task').fill('Buy milk')
    await guest.page.getByRole('textbox', { name: 'Tags' }).fill('+plus')
    await guest.press('Add')
    await guest.page.locator('.outcome .bad').waitFor()
    assert.equal(await guest.page.getByLabel('New task').inputValue(), 'Buy milk', 'it stays')
    await guest.page.getByRole('textbox', { name: 'Tags' }).fill('errand, shopping')
    await guest.press('Add')
    await guest.says('Buy milk')
    const [task] = await served.list.query()
    assert.deepEqual(task?.tags, ['errand', 'shopping'])
    await guest.page.getByRole('checkbox', { name: 'Buy milk' }).click()
    await guest.says('Nothing to do here.')
    assert.equal((await served.list.query())[0]?.done, true)
    await guest.page.getByRole('link', { name: 'done', exact: true }).click()
    await guest.page.getByRole('checkbox', { name: 'Buy milk' }).click()
    await guest.says('Nothing is done yet.')
    await served.list.add('Something else', ['other'])
    await guest.page.getByRole('link', { name: 'all', exact: true }).click()
    await guest.says('Something else')
    await guest.page.getByRole('navigation', { name: 'Tags' }).getByText('errand').click()
    await guest.saysNothingOf('Something else')
    await guest.press('Edit Buy milk')
    await guest.page.getByLabel(/^Text/).fill('Buy oat milk')
    await guest.page.getByLabel('Tags, with commas between').fill('errand')
    await guest.press('Save')
    await guest.says('Changed.')
    const [edited] = await served.list.query({ any: ['errand'] })
    assert.deepEqual([edited?.text, edited?.tags], ['Buy oat milk', ['errand']])
    await guest.press('Delete Buy oat milk')
    await guest.says('Deleted.')
    assert.equal((await served.list.query()).length, 1)
  })

  test('two who edit the same task of the list: the later one is told, and what was typed stays', async () => {
    const { id } = await served.list.add('Shared')
    const guest = await visit(`${served.url}#/lists`)
    await guest.press('Edit Shared')
    await guest.page.getByLabel(/^Text/).fill('Mine')
    await served.list.update(id, { text: 'Theirs' })
    guest.expect(/412/)
    await guest.press('Save')
    await guest.says('The task has been changed meanwhile.')
    assert.equal(await guest.page.getByLabel(/^Text/).inputValue(), 'Mine')
    assert.equal((await served.list.get(id)).text, 'Theirs')
  })

  test('jobs: by status, by key, once more, deleted', async () => {
    const { jobs } = served
    const payload = new TextEncoder().encode('{"invoice":7}')
    const id = await jobs.submit({ payload, idempotencyKey: 'invoice/7 ☂', maxAttempts: 1 })
    await jobs.claim(id, 'printer')
    await jobs.fail(id, 'Out of paper')
    const guest = await visit(`${served.url}#/jobs?status=pending`)
    await guest.says('No job is pending.')
    await guest.page.getByRole('link', { name: 'failed', exact: true }).click()
    await guest.page.getByRole('link', { name: id.slice(0, 18) }).waitFor()
    guest.expect(/404/)
    await guest.page.getByLabel('Idempotency key').fill('no such key')
    await guest.press('Find')
    await guest.page.locator('.outcome .bad').waitFor()
    await guest.page.getByLabel('Idempotency key').fill('invoice/7 ☂')
    await guest.press('Find')
    await guest.says('Out of paper')
    await guest.press('Try once more')
    await guest.says('It is pending again.')
    await jobs.claim(id, 'printer')
    await jobs.complete(id, new TextEncoder().encode('{"pages":2}'))
    await guest.says('pages')
    await guest.press('Delete')
    await guest.says('There is no job yet.')
  })
})
