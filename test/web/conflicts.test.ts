import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

/** Something that two people edit at once. */
interface Edit {
  readonly name: string
  readonly ready: () => Promise<{ id: string; path: string }>
  readonly open: (guest: Visit) => Promise<unknown>
  /** What is typed: the label of the control, and what it shows then. */
  readonly type: (guest: Visit) => Promise<unknown>
  readonly theirs: (id: string) => Promise<unknown>
  /** How both versions read. */
  readonly sees: readonly [theirs: string, yours: string]
  /** The name of the control. */
  readonly control: string
  readonly overwrite: string
  readonly now: (id: string) => Promise<unknown>
  readonly theirNow: unknown
  readonly myNow: unknown
}

const told = { cmd: 'np' }

describe('two who edit the same at once', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const fill = (label: string, text: string) => (guest: Visit) =>
    guest.page.getByRole('dialog').getByRole('textbox', { name: label, exact: true }).fill(text)
  let count = 0
  const plan = async (goal: string | null) => {
    const { sid } = (await served.plans.start(served.folder(`plan ${++count}`))).session
    if (goal !== null) await served.plans.setGoal(sid, { title: goal, description: '' }, told)
    await served.plans.addTasks(sid, [{ title: 'A step', description: '' }], told)
    return { id: sid, path: `plans/${sid}` }
  }
  const branch = async () => {
    const { id } = await served.tree.create({ title: 'A branch', body: 'Words', tags: ['old'] })
    return { id, path: `tree/task/${id}` }
  }

  const edits: readonly Edit[] = [
    {
      name: 'a task of the list',
      ready: async () => ({ id: (await served.list.add(`Shared ${++count}`)).id, path: 'lists' }),
      open: (guest) => guest.press(`Edit Shared ${count}`),
      type: fill('Text', 'Mine'),
      // Whoever only looks at it sees that it is done, too.
      theirs: (id) => served.list.update(id, { text: 'Of them', done: true }),
      sees: ['Of them', 'Mine'],
      control: 'text',
      overwrite: 'Overwrite with yours',
      now: async (id) => {
        const { text, done } = await served.list.get(id)
        return [text, done]
      },
      theirNow: ['Of them', true],
      myNow: ['Mine', true],
    },
    {
      name: 'a task of the tree',
      ready: branch,
      open: (guest) => guest.press('Edit…'),
      type: fill('Title', 'My branch'),
      theirs: (id) =>
        served.tree.update(id, { title: 'Their branch', body: 'Their words' }, 'grace'),
      sees: ['Their branch', 'My branch'],
      control: 'title',
      overwrite: 'Overwrite with yours',
      now: async (id) => {
        const { title, body } = await served.tree.get(id)
        return [title, body]
      },
      theirNow: ['Their branch', 'Their words'],
      myNow: ['My branch', 'Their words'],
    },
    {
      name: 'the tags of a task',
      ready: branch,
      open: (guest) => guest.press('Tags…'),
      type: fill('Tags, separated by commas', 'old, mine'),
      theirs: (id) => served.tree.setTags(id, ['theirs'], 'grace'),
      sees: ['theirs', 'old, mine'],
      control: 'tags',
      overwrite: 'Tags anyway',
      now: async (id) => (await served.tree.get(id)).tags,
      theirNow: ['theirs'],
      myNow: ['old', 'mine'],
    },
    {
      name: 'the goal of a plan',
      ready: () => plan('A goal'),
      open: (guest) => guest.press('Edit the goal'),
      type: async (guest) => {
        await fill('Title', 'My goal')(guest)
        await fill('Reason', 'Because')(guest)
      },
      theirs: (sid) =>
        served.plans.updateGoal(
          sid,
          { title: 'Their goal', description: 'Their words' },
          { ...told, reason: 'better' },
        ),
      sees: ['Their goal', 'My goal'],
      control: 'title',
      overwrite: 'Overwrite with yours',
      now: async (sid) => {
        const { goal } = await served.plans.plan(sid)
        return [goal?.title, goal?.description]
      },
      theirNow: ['Their goal', 'Their words'],
      myNow: ['My goal', 'Their words'],
    },
    {
      name: 'the status of a step',
      ready: () => plan('A goal'),
      open: (guest) => guest.press('Set the status of A step'),
      type: (guest) =>
        guest.page.getByRole('dialog').getByLabel('Status').selectOption('completed'),
      theirs: async (sid) => {
        const id = (await served.plans.plan(sid)).tasks[0]?.id as string
        await served.plans.updateTasks(sid, [{ id, status: 'in_progress' }], told)
      },
      sees: ['in progress', 'completed'],
      control: 'status',
      overwrite: 'Overwrite with yours',
      now: async (sid) => (await served.plans.plan(sid)).tasks[0]?.status,
      theirNow: 'in_progress',
      myNow: 'completed',
    },
  ]

  async function collide(edit: Edit): Promise<{ guest: Visit; id: string }> {
    const guest = await stay(`${served.url}#/between`)
    const { id, path } = await edit.ready()
    await guest.page.goto(`${served.url}#/${path}`)
    await edit.open(guest)
    await edit.type(guest)
    await edit.theirs(id)
    guest.expect(/412|409/)
    await send(guest)
    const both = guest.page.getByRole('dialog').getByRole('region', { name: 'Both versions' })
    await both.locator('.theirs', { hasText: edit.sees[0] }).first().waitFor()
    await both.locator('.yours', { hasText: edit.sees[1] }).first().waitFor()
    assert.deepEqual(await edit.now(id), edit.theirNow, 'nothing was written over')
    return { guest, id }
  }
  const send = ({ page }: Visit) => page.getByRole('dialog').locator('button[type=submit]').click()
  const isClosed = (guest: Visit) => guest.shows('dialog', 0)

  for (const edit of edits) {
    test(`${edit.name}: both versions are shown, and theirs can stay`, async () => {
      const { guest, id } = await collide(edit)
      await guest.picture(`conflict-${edit.name.replaceAll(' ', '-')}`)
      await guest.press('Take theirs')
      await isClosed(guest)
      assert.deepEqual(await edit.now(id), edit.theirNow)
    })

    test(`${edit.name}: yours is written over theirs, but not what only they have changed`, async () => {
      const { guest, id } = await collide(edit)
      await guest.press(edit.overwrite)
      await isClosed(guest)
      assert.deepEqual(await edit.now(id), edit.myNow)
    })

    test(`${edit.name}: one goes on with what was typed, and saves it then`, async () => {
      const { guest, id } = await collide(edit)
      await guest.press('Keep editing')
      const control = guest.page.locator(`dialog [name=${edit.control}]:focus`)
      assert.equal(await control.inputValue(), edit.sees[1])
      await send(guest)
      await isClosed(guest)
      assert.deepEqual(await edit.now(id), edit.myNow)
    })
  }

  test('theirs may change again before one overwrites it: that is shown as well', async () => {
    const edit = edits[0] as Edit
    const { guest, id } = await collide(edit)
    await served.list.update(id, { text: 'Of others' })
    await guest.press(edit.overwrite)
    await guest.page.locator('.theirs', { hasText: 'Of others' }).waitFor()
    await guest.page.locator('.versions:focus').waitFor()
    assert.equal((await served.list.get(id)).text, 'Of others')
    await guest.press(edit.overwrite)
    await isClosed(guest)
    assert.equal((await served.list.get(id)).text, 'Mine')
  })

  test('both set the first goal of a plan: yours needs a reason then, and is kept until it has one', async () => {
    const { id: sid, path } = await plan(null)
    const guest = await stay(`${served.url}#/${path}`)
    await guest.press('Set the goal')
    await fill('Title', 'My goal')(guest)
    await served.plans.setGoal(sid, { title: 'Their goal', description: 'Why' }, told)
    guest.expect(/409/)
    await send(guest)
    await guest.page.locator('.theirs', { hasText: 'Their goal' }).waitFor()
    await guest.press('Overwrite with yours')
    await guest.page.locator('dialog input[name=reason]:invalid').waitFor()
    await fill('Reason', 'It is shorter')(guest)
    await send(guest)
    await isClosed(guest)
    const { goal } = await served.plans.plan(sid)
    assert.deepEqual([goal?.title, goal?.description], ['My goal', 'Why'])
  })

  test('a verb with a text: the state that it meets now is shown, and it can be done anyway', async () => {
    const { id, path } = await branch()
    await served.tree.claim(id, 'dashboard')
    const guest = await stay(`${served.url}#/${path}`)
    await guest.press('Complete')
    await fill('Summary (optional)', 'It works')(guest)
    await served.tree.update(id, { body: 'One thing more' }, 'grace')
    guest.expect(/412/)
    await send(guest)
    await guest.page.locator('.theirs', { hasText: 'One thing more' }).waitFor()
    await guest.press('Complete anyway')
    await isClosed(guest)
    await guest.says('“It works”')
    assert.equal((await served.tree.get(id)).status, 'pending_merge')
  })

  test('the board: who moves what another has claimed is told so, and asked again from there', async () => {
    const { id } = await served.tree.create({ title: 'Raced' })
    const guest = await stay(`${served.url}#/tree/board`)
    await guest.press('Move Raced')
    await served.tree.claim(id, 'grace')
    await guest.press('in progress')
    await guest.says('“Raced” is in progress now, claimed by grace.')
    await guest.press('open')
    await guest.says('“Raced” is open now.')
    await guest.press('Move Raced')
    await guest.press('in progress')
    await guest.press('Move Raced')
    await guest.press('blocked')
    await fill('Reason (optional)', 'No paint')(guest)
    await served.tree.release(id, 'dashboard')
    await send(guest)
    await guest.page.locator('.theirs', { hasText: 'nobody' }).waitFor()
    guest.expect(/400|409/)
    await guest.press('Block anyway')
    await guest.says(/From open a task goes to/)
    await guest.press('Keep editing')
    const reason = guest.page.getByRole('dialog').getByRole('textbox')
    assert.equal(await reason.inputValue(), 'No paint')
    await guest.page.locator('dialog [name=reason]:focus').waitFor()
  })
})
