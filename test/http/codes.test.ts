import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../src/http/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { type Task, TaskTree } from '../../src/tree/index.ts'
import { type Asked, Caller, nobody, served } from './served.ts'

let store: Store
let serving: Serving
let api: Caller
beforeAll(async () => {
  store = await openStore('memory:')
  serving = await served(store)
  api = await Caller.to(serving.url)
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

/** A request that is refused: what to add to the route's own good request. */
type Case = Asked & {
  /** In place of a new task's id, or of the path behind it. */
  readonly id?: string
  readonly query?: string
  /** Brings the task into a state, by the library; may answer with another id. */
  readonly before?: (tree: TaskTree, task: Task) => Promise<unknown>
  /** Made when it runs. */
  readonly make?: (tree: TaskTree, task: Task) => Promise<Asked>
}

const agent = 'ann'
const claimed = (tree: TaskTree, { id }: Task) => tree.claim(id, agent)
const claimedByBob = (tree: TaskTree, { id }: Task) => tree.claim(id, 'bob')
const blocked = async (tree: TaskTree, task: Task) => {
  await claimed(tree, task)
  return tree.block(task.id, agent)
}
const activeBelow = async (tree: TaskTree, { id }: Task) =>
  tree.claim((await tree.createSubtask(id, { title: 'below' })).id, agent)

const reading: Record<string, Case> = {
  INVALID_ID: { id: 'no-id' },
  TASK_NOT_FOUND: { id: nobody },
}
const changing: Record<string, Case> = {
  ...reading,
  MISSING_AGENT: { agent: 'x'.repeat(201) },
  PRECONDITION_FAILED: { headers: { 'If-Match': '"7-0"' } },
}
/** Where it must be said who asks. */
const named: Record<string, Case> = { ...changing, MISSING_AGENT: { agent: '' } }
const owned: Record<string, Case> = {
  ...named,
  NOT_CLAIM_OWNER: { before: claimedByBob },
  INVALID_TRANSITION: {},
}
const givenTask: Record<string, Case> = {
  INVALID_BODY: { body: {} },
  INVALID_PRIORITY: { body: { title: 'x', priority: 7 } },
  INVALID_TYPE: { body: { title: 'x', type: 'story' } },
}
const tagged: Record<string, Case> = { INVALID_TAG: { body: { tags: ['a,b'] } } }
const sent: Record<string, Case> = { INVALID_BODY: { body: { unknown: 1 } } }

/** Every code of every route, without those that all routes have. */
const cases: Record<string, { good?: Asked; codes: Record<string, Case> }> = {
  'POST /api/tasks': {
    good: { body: { title: 'x' } },
    codes: {
      ...givenTask,
      INVALID_TAG: { body: { title: 'x', tags: [''] } },
      PARENT_NOT_FOUND: { body: { title: 'x', parent_id: nobody } },
      MISSING_AGENT: { agent: 'x'.repeat(201) },
    },
  },
  'GET /api/tasks': { codes: { INVALID_QUERY: { query: '?limit=1001' } } },
  'GET /api/tasks/ready': { codes: { INVALID_QUERY: { query: '?tag_pattern={a' } } },
  'POST /api/tasks/bulk': {
    good: { body: { action: 'close', task_ids: [] } },
    codes: {
      INVALID_BODY: { body: { action: 'explode', task_ids: [] } },
      INVALID_TAG: { body: { action: 'add_tags', task_ids: [] } },
      INVALID_PRIORITY: { body: { action: 'set_priority', task_ids: [], priority: 5 } },
      MISSING_AGENT: { agent: 'x'.repeat(201) },
    },
  },
  'GET /api/tasks/:id': { codes: reading },
  'PATCH /api/tasks/:id': {
    good: { body: { title: 'x' } },
    codes: { ...changing, ...givenTask, INVALID_BODY: { body: { status: 'closed' } } },
  },
  'DELETE /api/tasks/:id': {
    codes: {
      ...changing,
      ...sent,
      TASK_ACTIVE: { before: claimed },
      HAS_ACTIVE_CHILDREN: { before: activeBelow },
    },
  },
  'POST /api/tasks/:id/subtasks': {
    good: { body: { title: 'x' } },
    codes: {
      ...reading,
      ...givenTask,
      INVALID_TAG: { body: { title: 'x', tags: 'a' } },
      MISSING_AGENT: { agent: 'x'.repeat(201) },
      PARENT_NOT_FOUND: {
        // Hidden by retention, a task is found, but takes no new children.
        before: async (tree, task) => {
          await claimed(tree, task)
          await tree.complete(task.id, agent, { skip_review: true })
          const later = new TaskTree(store, { now: () => Date.now() + 40 * 86_400_000 })
          await later.maintain()
        },
      },
    },
  },
  'POST /api/tasks/:id/claim': {
    good: { agent },
    codes: {
      ...named,
      ...sent,
      ...tagged,
      ALREADY_CLAIMED: { before: claimed },
      NOT_CLAIMABLE: { before: blocked },
    },
  },
  'POST /api/tasks/:id/reclaim': {
    good: { agent },
    codes: {
      ...reading,
      ...sent,
      MISSING_AGENT: { agent: '' },
      ALREADY_CLAIMED: { before: claimedByBob },
      NOT_CLAIMABLE: {},
    },
  },
  'POST /api/tasks/:id/release': { good: { agent }, codes: { ...owned, ...sent } },
  'POST /api/tasks/:id/complete': { good: { agent }, codes: { ...owned, ...sent } },
  'POST /api/tasks/:id/block': { good: { agent }, codes: { ...owned, ...sent } },
  'POST /api/tasks/:id/unblock': { codes: { ...changing, ...sent, INVALID_TRANSITION: {} } },
  'POST /api/tasks/:id/approve': { codes: { ...changing, ...sent, INVALID_TRANSITION: {} } },
  'POST /api/tasks/:id/reject': { codes: { ...changing, ...sent, INVALID_TRANSITION: {} } },
  'POST /api/tasks/:id/restore': { codes: { ...changing, ...sent } },
  'PATCH /api/tasks/:id/status': {
    good: { body: { status: 'pending_merge' }, agent },
    codes: {
      ...owned,
      MISSING_AGENT: { agent: '', body: { status: 'in_progress' } },
      INVALID_BODY: { body: { status: 'open', reason: 7 } },
      INVALID_STATUS: { body: { status: 'done' } },
      ALREADY_CLAIMED: { body: { status: 'in_progress' }, before: claimedByBob },
      NOT_CLAIMABLE: { body: { status: 'in_progress' }, before: blocked },
    },
  },
  'GET /api/tasks/:id/subtree': { codes: reading },
  'GET /api/tasks/:id/ancestors': { codes: reading },
  'GET /api/tasks/:id/children': { codes: reading },
  'POST /api/tasks/:id/reparent': {
    good: { body: { new_parent_id: null } },
    codes: {
      ...changing,
      INVALID_BODY: { body: {} },
      PARENT_NOT_FOUND: { body: { new_parent_id: 'nonsense' } },
      WOULD_CREATE_CYCLE: { make: async (_, { id }) => ({ body: { new_parent_id: id } }) },
    },
  },
  ...Object.fromEntries(
    ['POST', 'PUT', 'DELETE'].map((method) => [
      `${method} /api/tasks/:id/tags`,
      {
        good: { body: { tags: ['x'] } },
        codes: { ...changing, ...tagged, INVALID_BODY: { body: { tags: [], x: 1 } } },
      },
    ]),
  ),
  'GET /api/tasks/:id/history': {
    codes: { ...reading, INVALID_QUERY: { query: '?field=colour' } },
  },
  'GET /api/tasks/:id/grimoire-match': { codes: reading },
  'GET /api/events': { codes: { INVALID_QUERY: { query: '?x=1' } } },
}

/** What every route has; the tests of the kit try those. */
const everywhere = [
  ...['UNAUTHORIZED', 'FORBIDDEN_HOST', 'FORBIDDEN_ORIGIN', 'INTERNAL_ERROR'],
  ...['TOO_MANY_ATTEMPTS', 'HEADERS_TOO_LARGE'],
  ...['FORBIDDEN_AGENT', 'FORBIDDEN_ROLE'],
  ...['STORE_UNAVAILABLE', 'REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'INVALID_QUERY'],
]

for (const [route, { good = {}, codes }] of Object.entries(cases))
  describe(route, () => {
    const [method, template] = route.split(' ') as [string, string]
    for (const [code, given] of Object.entries(codes))
      test(code, async () => {
        const tree = new TaskTree(store)
        const task = await tree.create({ title: 'x' })
        await given.before?.(tree, task)
        const asked = { ...good, ...given, ...(await given.make?.(tree, task)) }
        const path = template.replace(':id', given.id ?? task.id) + (given.query ?? '')
        const before = await api.get<Task>(`/api/tasks/${task.id}`)
        await api.refused([method, path], code, { ...asked, agent: asked.agent || undefined })
        // Nothing has changed.
        assert.deepEqual((await api.get<Task>(`/api/tasks/${task.id}`)).body, before.body)
      })
  })

describe('the document', () => {
  test('names no code that is not tried above, and every one that is', () => {
    const documented = Object.entries(api.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .flatMap(([, { description }]) => description.split(', '))
          .filter((code) => !everywhere.includes(code))
          .map((code) => `${method.toUpperCase()} ${path.replace('{id}', ':id')} ${code}`),
      ),
    )
    const tried = Object.entries(cases).flatMap(([route, { codes }]) =>
      Object.keys(codes)
        .filter((code) => !everywhere.includes(code))
        .map((code) => `${route} ${code}`),
    )
    assert.deepEqual(tried.sort(), documented.sort())
  })
})
