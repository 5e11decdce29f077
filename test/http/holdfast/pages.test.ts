import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { TaskList } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { openStore, type Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { eventually } from '../../eventually.ts'
import { RawConnection, request } from '../raw.ts'
import { directories, withDirectories } from './ground.ts'
import { servedAll } from './served.ts'

withDirectories()

const pageBytesMax = 4_000_000
/** As large as the text of a task may be. */
const large = 'x'.repeat(65_000)
/** More than one page of them, and less than three. */
const count = 100

interface Page {
  readonly items: readonly unknown[]
  readonly bytes: number
  readonly headers: Headers
}

/** Everything that following the links leads to. */
async function pagesFrom(
  base: string,
  path: string,
  itemsOf = (body: unknown): readonly unknown[] => body as readonly unknown[],
): Promise<Page[]> {
  const pages: Page[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response: Response = await fetch(`${base}${next}`)
    assert.equal(response.status, 200, next)
    const text = await response.text()
    pages.push({
      items: itemsOf(JSON.parse(text)),
      bytes: Buffer.byteLength(text),
      headers: response.headers,
    })
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  }
  return pages
}

interface Case {
  readonly path: string
  /** What the items of the list are told apart by, in its order. */
  readonly expected: readonly unknown[]
  keyOf(item: never): unknown
  itemsOf?(body: never): readonly unknown[]
}

/** Makes more than one page of large items, and says what a list of them must give. */
const cases: Readonly<Record<string, (store: Store) => Promise<Case>>> = {
  'tasks of the list': async (store) => {
    const list = new TaskList(store)
    for (let at = 0; at < count; at++) await list.add(`${at} ${large}`)
    return {
      path: '/api/list/tasks?limit=1000',
      expected: upTo(count),
      keyOf: ({ text }: { text: string }) => Number.parseInt(text, 10),
    }
  },
  'tasks of the tree': async (store) => {
    await plantTree(store)
    return { path: '/api/tasks?limit=1000', expected: upTo(count), keyOf: titleOf }
  },
  'tasks of the tree that are ready': async (store) => {
    await plantTree(store)
    return { path: '/api/tasks/ready?limit=1000', expected: upTo(count), keyOf: titleOf }
  },
  'children of a task': async (store) => {
    const root = await plantTree(store, { isBelowOne: true })
    return { path: `/api/tasks/${root}/children`, expected: upTo(count), keyOf: titleOf }
  },
  'the history of a task': async (store) => {
    const tree = new TaskTree(store)
    const { id } = await tree.create({ title: 'root' }, 'ann')
    for (let at = 0; at < count; at++) await tree.update(id, { body: `${at} ${large}` }, 'ann')
    return {
      path: `/api/tasks/${id}/history?field=body`,
      expected: upTo(count).reverse(),
      keyOf: ({ new_value }: { new_value: string }) => Number.parseInt(new_value, 10),
    }
  },
  'tasks of a plan': async (store) => {
    const sid = await plantPlan(store)
    return {
      path: `/api/plans/${sid}`,
      expected: upTo(count),
      keyOf: titleOf,
      itemsOf: ({ tasks }: { tasks: unknown[] }) => tasks,
    }
  },
  'jobs with long errors': async (store) => {
    await using jobs = new TaskManager(store)
    const total = 300
    for (let at = 0; at < total; at++) {
      const id = await jobs.submit({ payload: Buffer.from(String(at)), maxAttempts: 1 })
      await jobs.claim(id, 'w')
      await jobs.fail(id, 'e'.repeat(16_000))
    }
    return {
      path: '/api/jobs?limit=1000',
      expected: upTo(total),
      keyOf: ({ payload }: { payload: number }) => payload,
    }
  },
  'tasks of the queue with long errors': async (store) => {
    const queue = new Queue(store)
    const tasks = Array.from({ length: 1000 }, (_, at) => ({
      type: 't',
      input: at,
      idempotencyKey: `${at}-${'k'.repeat(4_080)}`,
    }))
    await queue.submitMany(tasks)
    const newestFirst = await queue.list({ limit: 1000 })
    await queue.close()
    return {
      path: '/api/queue/tasks?limit=1000',
      expected: newestFirst.tasks.map(({ id }) => id),
      keyOf: ({ id }: { id: string }) => id,
    }
  },
}

const upTo = (length: number) => Array.from({ length }, (_, at) => at)
const titleOf = ({ title }: { title: string }) => Number(title)

async function plantTree(store: Store, { isBelowOne = false } = {}): Promise<string> {
  const tree = new TaskTree(store)
  const root = isBelowOne ? (await tree.create({ title: 'root' }, 'ann')).id : null
  for (let at = 0; at < count; at++)
    await tree.create({ title: String(at), body: large, parent_id: root }, 'ann')
  return root ?? ''
}

async function plantPlan(store: Store): Promise<string> {
  const plans = new Plans(store)
  const { session } = await plans.start(directories.old)
  const tasks = upTo(count).map((at) => ({ title: String(at), description: large }))
  await plans.addTasks(session.sid, tasks, { cmd: 'test' })
  return session.sid
}

describe('a list of more than 4 MB', () => {
  for (const [name, plant] of Object.entries(cases))
    test(`${name}: every page has at most 4 MB, and the links lead to every item once`, async () => {
      await using store = await openStore('memory:')
      const { path, expected, keyOf, itemsOf } = await plant(store)
      await using serving = await servedAll(store)
      const pages = await pagesFrom(serving.url, path, itemsOf as never)
      for (const { bytes } of pages) assert.ok(bytes <= pageBytesMax, `${bytes} bytes`)
      assert.ok(pages.length >= 2, 'the test needs more than a page')
      assert.deepEqual(
        pages.flatMap(({ items }) => items.map((item) => keyOf(item as never))),
        expected,
      )
    })

  test('the events of a plan: the newest come first, page by page, in their order within each', async () => {
    await using store = await openStore('memory:')
    const sid = await plantPlan(store)
    await using serving = await servedAll(store)
    const path = `/api/plans/${sid}/events?limit=1000`
    const pages = await pagesFrom(serving.url, path)
    assert.ok(pages.length >= 2)
    for (const { bytes, headers } of pages) {
      assert.ok(bytes <= pageBytesMax)
      assert.equal(headers.get('X-Total-Count'), String(count))
    }
    const seqs = pages.map(({ items }) => items.map((item) => (item as { seq: number }).seq))
    assert.deepEqual(
      seqs.reverse().flat(),
      upTo(count).map((at) => at + 1),
    )
  })
})

test('a list of jobs leaves out payloads and results over 2,000 bytes, and says so; a job by itself has them', async () => {
  await using store = await openStore('memory:')
  await using jobs = new TaskManager(store)
  const fits = Buffer.from(JSON.stringify('x'.repeat(1_998)))
  const isLarge = Buffer.from(JSON.stringify('x'.repeat(1_999)))
  for (const payload of [fits, isLarge]) {
    const id = await jobs.submit({ payload })
    await jobs.claim(id, 'w')
    await jobs.complete(id, payload)
  }
  await using serving = await servedAll(store)
  const listed = (await (await fetch(`${serving.url}/api/jobs`)).json()) as { id: string }[]
  expect(listed[0]).toMatchObject({ payload: 'x'.repeat(1_998), result: 'x'.repeat(1_998) })
  for (const flag of ['payload_omitted', 'result_omitted']) assert.ok(!(flag in (listed[0] ?? {})))
  const without = { payload: null, payload_omitted: true, result: null, result_omitted: true }
  expect(listed[1]).toMatchObject(without)
  const whole = await (await fetch(`${serving.url}/api/jobs/${listed[1]?.id}`)).json()
  expect(whole).toMatchObject({ payload: 'x'.repeat(1_999), result: 'x'.repeat(1_999) })
})

test('a list of 300 jobs with the largest payloads leaves the event loop to other requests', async () => {
  await using store = await openStore('memory:')
  await using jobs = new TaskManager(store)
  const payload = Buffer.alloc(262_144, '1')
  for (let at = 0; at < 300; at++) await jobs.submit({ payload })
  await using serving = await servedAll(store)
  let isDone = false
  const listed = fetch(`${serving.url}/api/jobs?limit=1000`).then((response) => response.text())
  const text = listed.finally(() => {
    isDone = true
  })
  let others = 0
  for (; !isDone; others++) assert.equal((await fetch(`${serving.url}/api/models`)).status, 200)
  assert.equal(JSON.parse(await text).length, 300)
  assert.ok((await text).length < 300_000)
  // Each waits for its turn on the event loop several times.
  assert.ok(others >= 10, `${others} other requests were answered meanwhile`)
})

describe('a client that reads nothing', () => {
  const unreadMsMax = 2_000

  test('loses its connection, and its answers do not stay in memory', async () => {
    await using store = await openStore('memory:')
    await plantTree(store)
    await using serving = await servedAll(store, { unreadMsMax })
    using connection = await RawConnection.to(serving.url)
    connection.socket.pause()
    // More than the buffers of the system hold.
    for (let at = 0; at < 8; at++) connection.write(request('GET /api/tasks?limit=1000'))
    const from = performance.now()
    // Nothing is read, so that it ended shows by what can no longer be written.
    await eventually(() => {
      connection.write(request('GET /api/models'))
      assert.ok(connection.socket.closed || connection.socket.errored)
    })
    assert.ok(performance.now() - from >= unreadMsMax)
  })

  test('a slow reader, a stream of events without news, and an idle connection keep theirs', async () => {
    await using store = await openStore('memory:')
    await plantTree(store)
    await using serving = await servedAll(store, { unreadMsMax, keepAliveMs: 60_000 })
    using stream = await RawConnection.to(serving.url)
    stream.write(request('GET /api/changes'))
    using idle = await RawConnection.to(serving.url)
    idle.write(request('GET /api/models'))
    await idle.answer()
    using slow = await RawConnection.to(serving.url)
    for (let at = 0; at < 8; at++) slow.write(request('GET /api/tasks?limit=1000'))
    for (let at = 0; at < 15; at++) {
      slow.socket.pause()
      await new Promise((resolve) => setTimeout(resolve, unreadMsMax / 8))
      slow.socket.resume()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    for (let at = 0; at < 8; at++) assert.equal((await slow.answer()).status, 200)
    idle.write(request('GET /api/models'))
    assert.equal((await idle.answer()).status, 200)
    const heard = stream.text.length
    await new TaskList(store).add('news')
    await eventually(() => assert.ok(stream.text.length > heard))
  })
})
