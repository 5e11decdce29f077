import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

/** A form, how one gets to it, what is typed into it by the labels of its controls, and how it is sent. */
interface Form {
  readonly name: string
  readonly path: () => Promise<string>
  readonly open?: string
  readonly typed: Readonly<Record<string, string>>
  readonly chosen?: Readonly<Record<string, string>>
  readonly send: string
  /** What is shown once it is done. */
  readonly done: string | RegExp
}

const told = { cmd: 'np' }

describe('forms', () => {
  const { stay, visit } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  let count = 0
  const task = async (prepare?: (id: string) => Promise<unknown>) => {
    const { id } = await served.tree.create({ title: `Branch ${++count}` })
    await prepare?.(id)
    return `tree/task/${id}`
  }
  const claimed = (id: string) => served.tree.claim(id, 'dashboard')
  const waiting = async (id: string) => {
    await claimed(id)
    await served.tree.complete(id, 'dashboard')
  }
  const plan = async (goal: string | null) => {
    const { sid } = (await served.plans.start(served.folder(`plan ${++count}`))).session
    if (goal !== null) await served.plans.setGoal(sid, { title: goal, description: '' }, told)
    await served.plans.addTasks(sid, [{ title: 'A step', description: '' }], told)
    return `plans/${sid}`
  }

  const forms: readonly Form[] = [
    {
      name: 'submit a task to the queue',
      path: async () => 'queue/workers',
      open: 'Submit a task',
      typed: { Type: 'greet', 'Input, as JSON (empty for null)': '{ "n": 1 }' },
      send: 'Submit',
      done: /can be claimed|Can be claimed/,
    },
    {
      name: 'a new task of the tree',
      path: async () => 'tree',
      open: 'New task',
      typed: { Title: 'New', Text: 'Some words', 'Tags, separated by commas': 'a, b' },
      chosen: { Type: 'bug', Priority: '1' },
      send: 'Create',
      done: 'Added “New”.',
    },
    {
      name: 'a part of a task',
      path: () => task(),
      open: 'Add a part…',
      typed: { Title: 'Part', Text: 'Some words', 'Tags, separated by commas': 'a' },
      send: 'Create',
      done: 'Added “Part”.',
    },
    {
      name: 'edit a task of the tree',
      path: () => task(),
      open: 'Edit…',
      typed: { Title: 'Edited', Text: 'Other words' },
      chosen: { Type: 'epic', Priority: '4' },
      send: 'Save',
      done: 'Saved.',
    },
    {
      name: 'tags of a task',
      path: () => task(),
      open: 'Tags…',
      typed: { 'Tags, separated by commas': 'x, y' },
      send: 'Tags',
      done: 'Its tags are changed.',
    },
    {
      name: 'complete with a summary',
      path: () => task(claimed),
      open: 'Complete',
      typed: { 'Summary (optional)': 'It works' },
      send: 'Complete',
      done: 'It is waiting for approval.',
    },
    {
      name: 'block with a reason',
      path: () => task(claimed),
      open: 'Block',
      typed: { 'Reason (optional)': 'No paint' },
      send: 'Block',
      done: 'It is blocked and unclaimed.',
    },
    {
      name: 'reject with a reason',
      path: () => task(waiting),
      open: 'Reject',
      typed: { 'Reason (optional)': 'Not good' },
      send: 'Reject',
      done: 'It is blocked.',
    },
    {
      name: 'the goal of a plan',
      path: () => plan(null),
      open: 'Set the goal',
      typed: { Title: 'A goal', Description: 'Why' },
      send: 'Save',
      done: 'Goal set: “A goal”',
    },
    {
      name: 'another goal of a plan',
      path: () => plan('First'),
      open: 'Edit the goal',
      typed: { Title: 'Second', Description: 'Why', Reason: 'Because' },
      send: 'Save',
      done: 'Goal changed: “Second”',
    },
    {
      name: 'a task of a plan',
      path: () => plan('A goal'),
      open: 'Add a task',
      typed: { Title: 'Another step', Description: 'How' },
      send: 'Add',
      done: 'Task added: “Another step”',
    },
    {
      name: 'the status of a task of a plan',
      path: () => plan('A goal'),
      open: 'Set the status of A step',
      typed: { Reason: 'It broke' },
      chosen: { Status: 'failed' },
      send: 'Save',
      done: '“A step”: pending → failed',
    },
    {
      name: 'a task of the list',
      path: async () => 'lists',
      typed: { 'New task': 'Buy milk', Tags: 'errand' },
      send: 'Add',
      done: 'Added “Buy milk”.',
    },
    {
      name: 'edit a task of the list',
      path: async () => {
        await served.list.add('Edit me')
        return 'lists'
      },
      open: 'Edit Edit me',
      typed: { Text: 'Edited', 'Tags, separated by commas': 'a, b' },
      send: 'Save',
      done: 'Saved “Edited”.',
    },
  ]

  /** The form as it stands: a dialog, or the page where there is none. */
  const where = ({ page }: Visit, { open }: Form) => (open ? page.getByRole('dialog') : page)
  async function type(guest: Visit, form: Form): Promise<void> {
    const within = where(guest, form)
    for (const [label, value] of Object.entries(form.chosen ?? {}))
      await within.getByLabel(label).selectOption(value)
    for (const [label, value] of Object.entries(form.typed))
      await within.getByRole('textbox', { name: label, exact: true }).fill(value)
  }
  async function keeps(guest: Visit, form: Form): Promise<void> {
    const within = where(guest, form)
    for (const [label, value] of Object.entries(form.chosen ?? {}))
      assert.equal(await within.getByLabel(label).inputValue(), value)
    for (const [label, value] of Object.entries(form.typed)) {
      const control = within.getByRole('textbox', { name: label, exact: true })
      assert.equal(await control.inputValue(), value, label)
    }
  }

  for (const form of forms)
    test(`${form.name}: refused or without an answer, it keeps what was typed, and can be sent again`, async () => {
      const guest = await stay(`${served.url}#/between`)
      await guest.page.goto(`${served.url}#/${await form.path()}`)
      if (form.open) await guest.press(form.open)
      await type(guest, form)
      const send = () =>
        where(guest, form).getByRole('button', { name: form.send, exact: true }).click()
      let trouble: 'refused' | 'lost' | null = 'refused'
      await guest.page.route('**/api/**', async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        // So long that it is drawn as it waits.
        await sleep(100)
        if (trouble === null) return route.fallback()
        if (trouble === 'lost') return route.abort()
        return route.fulfill({ status: 503, json: { error: 'The store is away.', code: 'X' } })
      })
      guest.expect(/503/, /ERR_FAILED/)
      await send()
      await guest.says('The store is away.')
      await keeps(guest, form)
      trouble = 'lost'
      await send()
      await guest.says(/this may or may not have happened/)
      await keeps(guest, form)
      trouble = null
      await send()
      await guest.says(form.done)
      await guest.shows('dialog', 0)
    })

  test('the Type filter keeps focus and letters while the list follows', async () => {
    await served.queue.submitMany([{ type: 'resize_image' }, { type: 'resize' }])
    const guest = await stay(`${served.url}#/queue/tasks`)
    const type = guest.page.getByLabel('Type', { exact: true })
    await type.click()
    // Slower than the list follows, as people type.
    await guest.page.keyboard.type('resize', { delay: 400 })
    await guest.says('1 task, all of them')
    await guest.page.keyboard.type('_image', { delay: 400 })
    assert.equal(await type.inputValue(), 'resize_image')
    await guest.page.locator('tbody', { hasText: 'resize_image' }).waitFor()
    assert.match(guest.page.url(), /type=resize_image/)
    await guest.page.locator('.filters input:focus').waitFor()
    // What comes from elsewhere is shown.
    await guest.page.goto(`${served.url}#/queue/tasks?type=other&text=words`)
    await eventually(async () => assert.equal(await type.inputValue(), 'other'))
    assert.equal(await guest.page.getByLabel('Text').inputValue(), 'words')
  })

  test('whoever types a filter and leaves is not brought back', async () => {
    const guest = await stay(`${served.url}#/queue/tasks`)
    await guest.page.getByLabel('Type', { exact: true }).fill('x')
    await guest.page.goto(`${served.url}#/plans`)
    await guest.page.locator('h1', { hasText: 'Plans' }).waitFor()
    await guest.page.waitForTimeout(500)
    assert.match(guest.page.url(), /#\/plans$/)
  })

  test('an answer to whoever has left does not bring them back', async () => {
    const id = await served.jobs.submit({ payload: new Uint8Array([49]), idempotencyKey: 'k-1' })
    const guest = await stay(`${served.url}#/jobs`)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await guest.page.route('**/by-key*', async (route) => {
      await released
      await route.fallback()
    })
    await guest.page.getByLabel('Idempotency key').fill('k-1')
    await guest.press('Find')
    await guest.page.goto(`${served.url}#/plans`)
    const answered = guest.page.waitForResponse(/by-key/)
    release()
    await answered
    await guest.page.waitForTimeout(200)
    assert.ok(!guest.page.url().includes(id), guest.page.url())
  })

  test('typed tags of a new task stay when another tag is chosen; untouched ones follow', async () => {
    await served.list.add('Of home', ['home'])
    await served.list.add('Of work', ['work'])
    const guest = await stay(`${served.url}#/lists?tag=home`)
    const tags = guest.page.getByRole('textbox', { name: 'Tags' })
    await eventually(async () => assert.equal(await tags.inputValue(), 'home'))
    await guest.page.goto(`${served.url}#/lists?tag=work`)
    await eventually(async () => assert.equal(await tags.inputValue(), 'work'))
    await tags.fill('work, urgent')
    await guest.page.goto(`${served.url}#/lists?tag=home`)
    await guest.says('Of home')
    assert.equal(await tags.inputValue(), 'work, urgent')
  })

  test('a wrong token, and a server that goes away: the form stays as it was typed', async () => {
    await using guarded = await Served.start({ token: 'right' })
    await using guest = await visit(guarded.url)
    guest.expect(/401/, /ERR_/)
    const token = guest.page.getByLabel('Token')
    await token.fill('wrong')
    await guest.press('Connect')
    await guest.says('Wrong token.')
    assert.equal(await token.inputValue(), 'wrong')
    await guest.page.locator('button:focus', { hasText: 'Connect' }).waitFor()
    await guarded.down()
    await token.fill('right')
    await guest.press('Connect')
    await guest.says('The server does not answer.')
    assert.equal(await token.inputValue(), 'right')
    await guarded.up()
    await guest.press('Connect')
    await guest.says('Live')
  })
})
