import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Registry } from '../../src/queue/registry.ts'
import { eventually } from '../eventually.ts'
import { hang, withBrowser } from './browser.ts'
import { claim, finish, renew } from './outcomes.ts'
import { Served } from './served.ts'

describe('the queue on a served store', () => {
  const { visit, stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const taskPage = (id: string) => `${served.url}#/queue/task/${id}`
  const statusOf = async (id: string) => (await served.queue.get(id)).status

  test('an empty queue says what to do; a task is submitted, and what is no JSON is not', async () => {
    const guest = await stay(`${served.url}#/queue/workers`)
    await guest.says('No workers are registered.')
    await guest.page.getByRole('link', { name: 'Overview' }).click()
    await guest.says('No tasks yet.')
    await guest.press('Submit a task')
    await guest.page.getByLabel('Type').fill('greet')
    await guest.page.getByLabel(/^Input/).fill('{ name: 1 }')
    await guest.page.getByText('Delay, retries, timeout').click()
    await guest.page.getByLabel(/^Delay/).fill('590')
    await guest.page.getByLabel('Retries').fill('7')
    await guest.page.getByLabel('Idempotency key').fill('k-1')
    await guest.press('Submit')
    await guest.says(/The input is not JSON/)
    assert.equal(await guest.page.getByLabel('Type').inputValue(), 'greet', 'what was typed stays')
    await guest.page.getByLabel(/^Input/).fill('{ "name": "ada" }')
    await guest.press('Submit')
    const countdown = guest.page.locator('time.countdown').first()
    await countdown.waitFor()
    const [task] = (await served.queue.list({ type: 'greet' })).tasks
    assert.deepEqual(
      [task?.input, task?.max_retries, task?.idempotency_key],
      [{ name: 'ada' }, 7, 'k-1'],
    )
    assert.ok(guest.page.url().endsWith(`#/queue/task/${task?.id}`))
    const before = await countdown.textContent()
    assert.match(before ?? '', /^in [89] min( \d+ s)?$/)
    await countdown.filter({ hasNotText: before ?? '' }).waitFor()
  })

  test('replay, cancel, archive, unarchive: the task and the page change', async () => {
    const id = await served.failedTask()
    const guest = await stay(taskPage(id))
    await guest.press('Archive')
    await guest.says('It is archived.')
    await guest.press('Unarchive')
    await guest.says(/^It is (failed|cancelled) again\.$/)
    assert.equal(await statusOf(id), 'failed')
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    assert.equal(await statusOf(id), 'pending')
    await guest.press('Cancel')
    await guest.says('It is cancelled.')
    assert.equal(await statusOf(id), 'cancelled')
    const cancel = guest.page.getByRole('button', { name: 'Cancel', exact: true })
    await cancel.waitFor({ state: 'detached' })
    await guest.press('Archive')
    await guest.says('It is archived.')
    await guest.press('Unarchive')
    await guest.says(/^It is (failed|cancelled) again\.$/)
    assert.equal(await statusOf(id), 'cancelled')
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    assert.equal(await statusOf(id), 'pending')
  })

  test('a running task: lease, worker, and a request to stop, though its lease is renewed', async () => {
    const { id } = await served.queue.submit({ type: 'slow', input: {} })
    const leaseId = await claim(served.store, id, 'worker-9')
    const guest = await stay(taskPage(id))
    await guest.says(/expires in 4 min/)
    await guest.says('worker-9')
    // The page does not see that the worker is still at it.
    await guest.page.route(`**/api/queue/tasks/${id}`, (route) => hang(route))
    await renew(served.store, id, leaseId)
    guest.expect(/ERR_FAILED/)
    await guest.press('Cancel')
    await guest.says('Its worker has been asked to stop.')
    assert.equal((await served.queue.get(id)).cancel_requested, true)
  })

  test('a worker that falls silent is shown so without a word from anybody', async () => {
    const nowMs = await served.store.now()
    const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString()
    const worker = {
      worker_id: 'w-1',
      started_at: at(600_000),
      last_heartbeat: at(0),
      shards: ['0'],
      current_task: null,
      tasks_completed: 1,
      tasks_failed: 0,
      task_types: ['x'],
      concurrency: 1,
      running: [],
    }
    await new Registry(served.store, () => {}).put(worker, null)
    const guest = await visit('about:blank')
    await guest.page.clock.install()
    await guest.page.goto(`${served.url}#/queue/workers`)
    await guest.page.locator('.worker-head .status', { hasText: 'active' }).waitFor()
    const asked = guest.count(/workers/)
    await guest.page.route('**/api/**', (route) => hang(route))
    guest.expect(/ERR_FAILED/)
    await guest.page.clock.fastForward(61_000)
    await guest.page.locator('.worker-head .status', { hasText: 'stale' }).waitFor()
    await guest.says(/It may be dead/)
    assert.ok(guest.count(/workers/) <= asked + 2, guest.requests.join('\n'))
  })

  test('every version is there, and the difference of any two', async () => {
    const { id } = await served.queue.submit({ type: 'report', input: { page: 1 } })
    await finish(served.store, id, 'complete', { rows: 12, list: [1] })
    const guest = await stay(taskPage(id))
    await guest.says('attempt 1 by worker-1')
    await guest.shows('.timeline li', 3)
    const differs = (words: RegExp) => guest.page.locator('.diff', { hasText: words }).waitFor()
    await differs(/status“running”“completed”/)
    await guest.page.getByLabel('From version').selectOption('1')
    await differs(/status“pending”“completed”/)
    await guest.page.getByLabel('To version').selectOption('2')
    await differs(/status“pending”“running”/)
  })

  test('what another does is shown without being asked for', async () => {
    const id = await served.failedTask('live')
    const guest = await stay(taskPage(id))
    await guest.says('Live')
    await served.queue.replay(id)
    await guest.page.locator('h1 .status', { hasText: 'pending' }).waitFor()
    await guest.page.goto(`${served.url}#/queue/tasks?type=news`)
    await guest.says('No matching tasks.')
    await served.queue.submit({ type: 'news' })
    await guest.page.locator('td .status', { hasText: 'pending' }).waitFor()
  })

  test('of two people who do the same at once, one is told that nothing was changed', async () => {
    const id = await served.failedTask()
    const [one, other] = [await stay(taskPage(id)), await visit(taskPage(id))]
    await one.says('Last error')
    await other.says('Last error')
    // What happens meanwhile does not reach the other page.
    await other.page.route('**/api/queue/tasks/*', (route) => hang(route))
    await one.press('Replay')
    await one.says('It is pending again, with all its retries.')
    other.expect(/412/, /ERR_FAILED/)
    await other.press('Replay')
    await other.says(/Nothing was changed\. .*has been changed meanwhile: it is pending now/)
    assert.equal(await statusOf(id), 'pending')
  })

  test('a task that is deleted while its page is open is gone from it', async () => {
    const id = await served.failedTask('doomed')
    const guest = await stay(taskPage(id))
    await guest.says('Last error')
    const key = `qo/tasks/${id.charAt(0)}/${id}.json`
    const entry = (await served.store.get(key)) ?? assert.fail('there is no such task')
    guest.expect(/404/)
    await served.store.commit([{ type: 'remove', key, revision: entry.revision }])
    await guest.says(/it was deleted or never existed/)
    await guest.saysNothingOf('Last error')
  })

  test('a corrupt task says so', async () => {
    const id = '7019a8c3-1f20-8b1e-9d3c-5a6f00112233'
    const key = `qo/tasks/7/${id}.json`
    const value = new TextEncoder().encode('{"id": 1}')
    await served.store.commit([{ type: 'create', key, value }])
    const guest = await stay(served.url)
    guest.expect(/422/)
    await guest.page.goto(taskPage(id))
    await guest.says('Put it right with the tool that wrote it.')
  })

  test('filters by status, type, shard and text, and sorts', async () => {
    const made = await served.queue.submitMany(
      Array.from({ length: 20 }, (_, at) => ({ type: 'filtered', input: { name: `guest ${at}` } })),
    )
    const guest = await stay(`${served.url}#/queue/tasks?type=filtered`)
    await guest.says('20 tasks, all of them')
    await guest.page.getByLabel('Text').fill('guest 17')
    await guest.says('1 task, all of them')
    await guest.page.getByLabel('Text').fill('')
    await guest.page.getByLabel('Status').selectOption('failed')
    await guest.says('No matching tasks.')
    await guest.page.getByLabel('Status').selectOption('pending')
    await guest.says('20 tasks, all of them')
    const shard = made[0]?.id.charAt(0) as string
    await guest.page.getByLabel('Shard').selectOption(shard)
    const here = made.filter(({ id }) => id.startsWith(shard)).length
    await guest.says(new RegExp(`^${here} tasks?, all of them`))
    await guest.page.getByLabel('Shard').selectOption('')
    await guest.says('20 tasks, all of them')
    await guest.press('Task')
    await guest.press(/^Task/)
    const ids = made.map(({ id }) => id).sort()
    const first = guest.page.locator('tbody a').first()
    await eventually(async () =>
      assert.equal(await first.getAttribute('aria-label'), `Task ${ids[0]}`),
    )
  })

  test('keys alone will do: to the search, from row to row, into a task', async () => {
    const guest = await stay(`${served.url}#/queue/tasks?type=filtered`)
    await guest.says('20 tasks, all of them')
    await guest.page.keyboard.press('/')
    await guest.page.locator('input[type=search]:focus').waitFor()
    const row = (at: number) => guest.page.locator('tbody a').nth(at)
    await row(0).focus()
    await guest.page.keyboard.press('ArrowDown')
    const name = (await row(1).getAttribute('aria-label')) ?? assert.fail('it has no name')
    await guest.page.locator(`tbody a:focus[aria-label="${name}"]`).waitFor()
    await guest.page.keyboard.press('Enter')
    await guest.page.locator('.crumbs', { hasText: name.replace('Task ', '') }).waitFor()
  })
})
