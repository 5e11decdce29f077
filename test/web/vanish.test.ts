import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Visit, withBrowser } from './browser.ts'
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
      isGone: (guest: Visit) => guest.says(/Task not found/),
      says: 'Someone deleted this while you were typing.',
    },
  ]
  for (const { name, ready, open, control, vanish, isGone, says } of vanishing)
    test(`${name}: what was typed stays`, async () => {
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
    })
})
