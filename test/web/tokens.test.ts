import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Role, Tokens } from '../../src/access/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { eventually } from '../eventually.ts'
import { withBrowser } from './browser.ts'
import { Served } from './served.ts'

describe('the page with a named token', () => {
  const { visit } = withBrowser()

  /** A server, and a guest who has come in with a token of this role. */
  async function welcomed(role: Role, path: (served: Served) => Promise<string>) {
    const served = await Served.start()
    await served.down()
    const { secret } = await new Tokens(served.store).add('ann', role)
    await new TaskList(served.store).add('Buy milk')
    await served.up()
    const guest = await visit(`${served.url}#/${await path(served)}`)
    guest.expect(/40[13]/)
    await guest.says('This server needs a token')
    await guest.page.getByLabel('Token').fill(secret)
    await guest.press('Connect')
    await guest.says('Live')
    return { served, guest }
  }

  test('acts in its name, and says whose it is', async () => {
    let id = ''
    const { served, guest } = await welcomed('work', async ({ store }) => {
      id = (await new TaskTree(store).create({ title: 'Fix it' })).id
      return `tree/task/${id}`
    })
    await guest.says(/ann \(work\)/)
    await guest.press('Claim')
    await guest.says('It is claimed.')
    assert.equal((await new TaskTree(served.store).get(id)).claimed_by, 'ann')
    await guest[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
  })

  test('that may only read says so when it is asked for more; one that may not delete has no button for it', async () => {
    const { served, guest } = await welcomed('read', async () => 'lists')
    await guest.says('Buy milk')
    assert.equal(await guest.page.getByLabel('Delete Buy milk').count(), 0)
    await guest.page.getByLabel('New task').fill('Buy beer')
    await guest.page.keyboard.press('Enter')
    await guest.says(/This needs the role work; the token ann has the role read\./)
    await new Tokens(served.store).revoke('ann')
    await eventually(() => guest.says('Not connected'))
    await guest[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
  })

  test('that may work takes back its own jobs, and has no button for those of others', async () => {
    let [own, other] = ['', '']
    const { served, guest } = await welcomed('work', async ({ store }) => {
      await using jobs = new TaskManager(store)
      const claimed = async (worker: string) =>
        (await jobs.claim(await jobs.submit({ payload: new Uint8Array() }), worker)).id
      own = await claimed('ann/7')
      other = await claimed('bob')
      return `jobs/${other}`
    })
    await guest.says(/bob/)
    assert.equal(await guest.page.getByRole('button', { name: 'Take it back' }).count(), 0)
    await guest.page.goto(`${served.url}#/jobs/${own}`)
    await guest.press('Take it back')
    await guest.says('The job is pending again.')
    await using jobs = new TaskManager(served.store)
    assert.equal((await jobs.get(own)).status, 'pending')
    assert.equal((await jobs.get(other)).claimedBy, 'bob')
    await guest[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
  })

  test('that may delete does', async () => {
    const { served, guest } = await welcomed('admin', async () => 'lists')
    await guest.page.getByLabel('Delete Buy milk').click()
    await guest.press('Delete')
    await guest.says('Deleted “Buy milk”.')
    await guest[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
  })
})
