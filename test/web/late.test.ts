import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

const encoder = new TextEncoder()

/** Keeps the next answer to such a request, as of now, until it is let go. */
async function hold(guest: Visit, isMeant: (url: URL) => boolean) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let fetched = () => {}
  const isHeld = new Promise<void>((resolve) => {
    fetched = resolve
  })
  let count = 0
  await guest.page.route(isMeant, async (route) => {
    if (count++ > 0) return route.fallback()
    const response = await route.fetch().catch(() => null)
    fetched()
    await released
    // Who has left a list does not wait for it any more.
    if (response) await route.fulfill({ response }).catch(() => {})
  })
  return { isHeld, release }
}

describe('an answer that comes late', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
    const many = Array.from({ length: 700 }, (_, at) => ({ type: 'many', input: { at } }))
    await served.queue.submitMany([...many, { type: 'few' }])
    await served.list.add('Of home', ['home'])
    await served.list.add('Of work', ['work'])
    const payload = encoder.encode('{}')
    await served.jobs.submit({ payload, idempotencyKey: 'waits' })
    const id = await served.jobs.submit({ payload, idempotencyKey: 'failed', maxAttempts: 1 })
    await served.jobs.claim(id, 'w')
    await served.jobs.fail(id, 'no')
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const toEnd = (guest: Visit) =>
    guest.page.evaluate('document.querySelector(".rows").scrollTo(0, 1e6)')
  const open = (guest: Visit, path: string) => guest.page.goto(`${served.url}#/${path}`)

  /** The rows that are shown, for as long as a late answer may take to do harm. */
  async function staysSo(guest: Visit, rows: string, only: RegExp): Promise<void> {
    for (let look = 0; look < 5; look++) {
      await guest.page.waitForTimeout(100)
      for (const text of await guest.page.locator(rows).allInnerTexts()) assert.match(text, only)
      assert.ok((await guest.page.locator(rows).count()) > 0)
    }
  }

  test('a further page of one filter is not shown under another, and the list goes on', async () => {
    const guest = await stay(`${served.url}#/queue/tasks?type=few`)
    await guest.says('1 task, all of them')
    const next = await hold(guest, (url) => url.searchParams.has('cursor'))
    await open(guest, 'queue/tasks?type=many')
    await guest.says('100 tasks loaded')
    await toEnd(guest)
    await next.isHeld
    await open(guest, 'queue/tasks?type=few')
    await guest.says('1 task, all of them')
    next.release()
    await staysSo(guest, '.rows tbody tr', /\bfew\b/)
    await open(guest, 'queue/tasks?type=many')
    await guest.says('100 tasks loaded')
    await toEnd(guest)
    await guest.says('600 tasks loaded')
    await toEnd(guest)
    await guest.says('700 tasks, all of them')
  })

  const filters = [
    {
      name: 'the queue by type',
      one: 'queue/tasks?type=many',
      other: 'queue/tasks?type=few',
      asks: (url: URL) => url.searchParams.get('type') === 'many',
      rows: '.rows tbody tr:not(.gap)',
      only: /\bfew\b/,
    },
    {
      name: 'jobs by status',
      one: 'jobs?status=pending',
      other: 'jobs?status=failed',
      asks: (url: URL) => url.searchParams.get('status') === 'pending',
      rows: '.plain-table tbody tr',
      only: /failed/,
    },
    {
      name: 'the list by tag',
      one: 'lists?tag=home',
      other: 'lists?tag=work',
      asks: (url: URL) => url.searchParams.get('any') === 'home',
      rows: '.todo li',
      only: /Of work/,
    },
  ]
  for (const { name, one, other, asks, rows, only } of filters)
    test(`${name}: the rows of another filter are not shown`, async () => {
      const guest = await stay(`${served.url}#/between`)
      const late = await hold(guest, (url) => url.pathname.startsWith('/api/') && asks(url))
      await open(guest, one)
      await late.isHeld
      await open(guest, other)
      await guest.page.locator(rows).first().waitFor()
      late.release()
      await staysSo(guest, rows, only)
    })

  const plan = async () => (await served.plans.start(served.folder('late'))).session.sid
  const lists = [
    {
      name: 'tasks of the queue',
      path: async () => 'queue/tasks?type=new',
      asks: '/api/queue/tasks',
      add: () => served.queue.submit({ type: 'new' }),
      news: '1 task, all of them',
    },
    {
      name: 'the newest tasks',
      path: async () => 'queue',
      asks: '/api/queue/tasks',
      add: () => served.queue.submit({ type: 'newest-of-all' }),
      news: 'newest-of-all',
    },
    {
      name: 'jobs',
      path: async () => 'jobs',
      asks: '/api/jobs',
      add: () => served.jobs.submit({ payload: encoder.encode('1'), idempotencyKey: 'new-key' }),
      news: 'new-key',
    },
    {
      name: 'the list',
      path: async () => 'lists',
      asks: '/api/list/tasks',
      add: () => served.list.add('Brand new'),
      news: 'Brand new',
    },
    {
      name: 'plans',
      path: async () => 'plans',
      asks: '/api/plans',
      add: async () => served.plans.setGoal(await plan(), words('A new goal'), { cmd: 'np' }),
      news: 'A new goal',
    },
    {
      name: 'events of a plan',
      path: async () => `plans/${await plan()}`,
      asks: /\/events$/,
      add: async () => served.plans.addTasks(await plan(), [words('A step')], { cmd: 'np' }),
      news: 'Task added: “A step”',
    },
    {
      name: 'the tree',
      path: async () => 'tree',
      asks: '/api/tasks',
      add: () => served.tree.create({ title: 'A new branch' }),
      news: 'A new branch',
    },
    {
      name: 'the board',
      path: async () => 'tree/board',
      asks: '/api/tasks',
      add: () => served.tree.create({ title: 'A new card' }),
      news: 'A new card',
    },
  ]
  const words = (title: string) => ({ title, description: '' })
  for (const { name, path, asks, add, news } of lists)
    test(`${name}: an older answer does not take the place of a newer one`, async () => {
      const guest = await stay(`${served.url}#/between`)
      const at = await path()
      const isAsked = ({ pathname }: URL) =>
        typeof asks === 'string' ? pathname === asks : asks.test(pathname)
      const late = await hold(guest, isAsked)
      await open(guest, at)
      await late.isHeld
      await add()
      await open(guest, 'between')
      await guest.says('There is no such page.')
      await open(guest, at)
      await guest.says(news)
      late.release()
      await guest.page.waitForTimeout(300)
      assert.ok(await guest.page.getByText(news).first().isVisible())
    })
})
