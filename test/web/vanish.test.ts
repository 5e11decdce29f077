import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Visit, withBrowser } from './browser.ts'
import { focused } from './lists-ground.ts'
import { Served } from './served.ts'

describe('what leaves the view while somebody edits it', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const branch = async () => {
    const { id } = await served.tree.create({ title: 'A branch' })
    return { id, path: `tree/task/${id}` }
  }
  const vanishing = [
    {
      name: 'a task of the list that leaves the view',
      ready: async () => ({ id: (await served.list.add('Fleeting')).id, path: 'lists' }),
      open: (guest: Visit) => guest.press('Edit Fleeting'),
      control: 'text',
      vanish: async (id: string) => void (await served.list.update(id, { done: true })),
      focus: '.versions',
      isGone: async (guest: Visit) =>
        guest.page.getByRole('checkbox', { name: 'Fleeting' }).waitFor({ state: 'detached' }),
      says: 'Someone else changed this while you were typing.',
    },
    {
      name: 'a task of the list that is deleted',
      ready: async () => ({ id: (await served.list.add('Fleeting')).id, path: 'lists' }),
      open: (guest: Visit) => guest.press('Edit Fleeting'),
      control: 'text',
      vanish: (id: string) => served.list.delete(id),
      focus: '.outcome',
      isGone: async (guest: Visit) =>
        guest.page.getByRole('checkbox', { name: 'Fleeting' }).waitFor({ state: 'detached' }),
      says: 'Someone deleted this while you were typing.',
    },
    {
      name: 'a task of the tree that is deleted',
      ready: branch,
      open: (guest: Visit) => guest.press('Edit…'),
      control: 'title',
      vanish: (id: string) => served.tree.delete(id, 'grace'),
      focus: '.outcome',
      isGone: (guest: Visit) => guest.says(/Task not found/),
      says: 'Someone deleted this while you were typing.',
    },
  ]
  for (const { name, ready, open, control, vanish, isGone, says, focus } of vanishing)
    test(`${name}: what was typed stays, and so does the focus`, async () => {
      const guest = await stay(`${served.url}#/between`)
      const { id, path } = await ready()
      await guest.page.goto(`${served.url}#/${path}`)
      await open(guest)
      const typed = guest.page.locator(`dialog [name=${control}]`)
      await typed.fill('Typed for an hour')
      guest.expect(/404|412/)
      await vanish(id)
      await isGone(guest)
      assert.equal(await typed.inputValue(), 'Typed for an hour')
      await guest.press('Save')
      await guest.says(says)
      assert.equal(await typed.inputValue(), 'Typed for an hour')
      await guest.page.locator(`dialog ${focus}:focus`).waitFor()
      await guest.page.keyboard.press('Escape')
      await isClosed(guest)
      assert.notEqual(await focused(guest), 'BODY')
    })

  const isClosed = (guest: Visit) => guest.shows('dialog', 0)
  const enter = async (guest: Visit, button: string) => {
    await guest.key(guest.page.getByRole('button', { name: button, exact: true }))
  }

  test('a row that another deletes after a conflict: Escape leads to its neighbor', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { id } = await served.list.add('Contested')
    await served.list.add('Neighbor')
    await guest.page.goto(`${served.url}#/lists`)
    await enter(guest, 'Edit Contested')
    const typed = guest.page.locator('dialog [name=text]')
    await typed.fill('Mine')
    guest.expect(/404|412/)
    await served.list.update(id, { text: 'Of them' })
    await enter(guest, 'Save')
    await enter(guest, 'Keep editing')
    await guest.page.locator('dialog [name=text]:focus').waitFor()
    await served.list.delete(id)
    await guest.page.getByRole('checkbox', { name: 'Of them' }).waitFor({ state: 'detached' })
    await enter(guest, 'Save')
    await guest.page.locator('dialog .outcome:focus', { hasText: 'Someone deleted' }).waitFor()
    await guest.page.keyboard.press('Escape')
    await isClosed(guest)
    await guest.page.locator('[data-row]:focus-within', { hasText: 'Neighbor' }).waitFor()
  })

  test('a task that another deletes first: the question says so, and keeps the focus', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { id } = await served.list.add('Deleted twice')
    await guest.page.goto(`${served.url}#/lists`)
    await enter(guest, 'Delete Deleted twice')
    await served.list.delete(id)
    guest.expect(/404|412/)
    await enter(guest, 'Delete')
    const outcome = guest.page.locator('dialog .outcome:focus')
    await outcome.waitFor()
    assert.match(await outcome.innerText(), /Someone else deleted it first|Nothing was changed/)
    await guest.page.keyboard.press('Escape')
    await isClosed(guest)
    assert.notEqual(await focused(guest), 'BODY')
  })

  test('a long text of a conflict that is shown whole leaves the focus in the dialog', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { id } = await served.list.add('Long')
    await guest.page.goto(`${served.url}#/lists`)
    await guest.press('Edit Long')
    await guest.page.locator('dialog [name=text]').fill('Mine')
    guest.expect(/412/)
    await served.list.update(id, { text: 'word '.repeat(200) })
    await enter(guest, 'Save')
    const whole = guest.page.getByRole('dialog').getByRole('button', { name: /^show all/ })
    await whole.focus()
    await guest.page.keyboard.press('Enter')
    await guest.page.locator('dialog button:focus', { hasText: 'Keep editing' }).waitFor()
  })
})
