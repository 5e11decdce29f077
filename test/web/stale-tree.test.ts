import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { assertUnharmed, type Behind } from './behind.ts'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('a page of the tree that is behind', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const press = (name: string) => (guest: Visit) => guest.press(name)
  const inDialog = (opener: string, button: string) => async (guest: Visit) => {
    await guest.press(opener)
    await guest.page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
  }
  let count = 0
  const fresh = (word: string) => `${word} ${++count}`

  const treeReady = async (prepare: (id: string) => Promise<unknown>, path?: string) => {
    const title = fresh('Branch')
    const { id } = await served.tree.create({ title })
    await prepare(id)
    return { id, path: path ?? `tree/task/${id}`, sees: title }
  }
  const retitle = (id: string) => served.tree.update(id, { body: 'Do not touch this' }, 'grace')
  const treeCase = (
    name: string,
    prepare: (id: string) => Promise<unknown>,
    act: Behind['act'],
    meanwhile: Behind['meanwhile'] = retitle,
  ): Behind => ({
    name: `a task of the tree: ${name}`,
    ready: () => treeReady(prepare),
    meanwhile,
    act,
    now: (id) => served.tree.get(id),
  })
  const taken = (id: string) => served.tree.claim(id, 'dashboard')
  const waiting = async (id: string) => {
    await taken(id)
    await served.tree.complete(id, 'dashboard')
  }
  const blocked = async (id: string) => {
    await taken(id)
    await served.tree.block(id, 'dashboard')
  }
  const nothing = async () => {}
  const treeCases = [
    treeCase('claim', nothing, press('Claim')),
    treeCase('release', taken, press('Release'), async (id) => {
      await served.tree.release(id, 'dashboard')
      await served.tree.claim(id, 'dashboard')
    }),
    treeCase('complete', taken, inDialog('Complete', 'Complete')),
    treeCase('block', taken, inDialog('Block', 'Block')),
    treeCase('approve', waiting, press('Approve')),
    treeCase('reject', waiting, inDialog('Reject', 'Reject')),
    treeCase('unblock', blocked, press('Unblock')),
    treeCase('tags', nothing, async (guest) => {
      await guest.press('Tags…')
      await guest.page.getByLabel('Tags, separated by commas').fill('mine')
      await guest.page.getByRole('dialog').getByRole('button', { name: 'Tags' }).click()
    }),
    treeCase('move', nothing, inDialog('Move…', 'Move')),
    treeCase('edit', nothing, async (guest) => {
      await guest.press('Edit…')
      await guest.page.getByLabel('Title').fill('Mine')
      await guest.press('Save')
    }),
  ]

  const lastTitle = () => `Branch ${count}`
  const boardCase = (name: string, act: Behind['act'], meanwhile: Behind['meanwhile']): Behind => ({
    name,
    ready: () => treeReady(nothing, name.includes('board') ? 'tree/board' : 'tree'),
    meanwhile,
    act,
    now: async (id) => [
      await served.tree.get(id),
      (await served.tree.list({ parent_id: [id] })).tasks,
    ],
    isReadFirst: true,
  })
  const ticket = (guest: Visit) =>
    guest.page.locator('.l-open .ticket').filter({ hasText: lastTitle() })
  const boardCases = [
    boardCase(
      'the board: drag one that has changed, though not its status',
      (guest) => ticket(guest).dragTo(guest.page.locator('.l-in_progress')),
      retitle,
    ),
    boardCase(
      'the board: move one that was claimed',
      async (guest) => {
        await guest.press(`Move ${lastTitle()}`)
        await guest.press('in progress')
      },
      (id) => served.tree.claim(id, 'grace'),
    ),
    boardCase(
      'the tree: drag one that has changed, though not its place',
      async (guest) => {
        const link = (name: string) => guest.page.getByRole('link', { name, exact: true })
        await link(lastTitle()).dragTo(link(`Branch ${count - 1}`))
      },
      retitle,
    ),
    boardCase(
      'the tree: drag one onto another that has changed',
      async (guest) => {
        const link = (name: string) => guest.page.getByRole('link', { name, exact: true })
        await link(`Branch ${count - 1}`).dragTo(link(lastTitle()))
      },
      retitle,
    ),
  ]

  for (const each of [...boardCases, ...treeCases])
    test(`${each.name}: nothing is done to what nobody saw`, async () =>
      assertUnharmed(await stay(`${served.url}#/between`), served, each))

  test('a part of a task that was closed since: it is not made before that was seen', async () => {
    const { id, path } = await treeReady(nothing)
    const guest = await stay(`${served.url}#/${path}`)
    await guest.press('Add a part…')
    await guest.page.getByLabel('Title').fill('A part')
    await served.tree.claim(id, 'grace')
    await served.tree.complete(id, 'grace', { skip_review: true })
    const parts = async () => (await served.tree.list({ parent_id: [id] })).tasks.length
    await guest.press('Create')
    await guest.page.locator('.versions', { hasText: 'Status of the parent' }).waitFor()
    assert.equal(await parts(), 0)
    await guest.press('Create anyway')
    await guest.shows('dialog', 0)
    assert.equal(await parts(), 1)
  })
})
