import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../src/http/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import {
  httpStatuses,
  isChanged,
  type Status,
  type Task,
  TaskTree,
  TreeError,
  type TreeErrorCode,
} from '../../src/tree/internal.ts'
import { cleanUp, Desk, newDirectory } from '../cli/coven/desk.ts'
import { newMemory } from '../cli/desk.ts'
import { Caller, served } from '../http/served.ts'
import { mcpDesk } from '../mcp/client.ts'

cleanUp()

const url = newMemory()
let store: Store
let serving: Serving
let api: Caller
beforeAll(async () => {
  store = await openStore(url)
  serving = await served(store)
  api = await Caller.to(serving.url)
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

/** A verb, or a status that is asked for. */
type Asked = 'claim' | 'reclaim' | 'complete' | 'block' | 'release' | 'approve' | `=${Status}`
/** What one hears who asks: a refusal, that it is done, or that it was so already. */
type Heard = TreeErrorCode | 'done' | 'already'
type Ask = (asked: Asked, id: string, by: string, reason?: string) => Promise<Heard>

/** What is written after the status that was asked for. */
const statusIn = (asked: Asked) => (asked.startsWith('=') ? (asked.slice(1) as Status) : null)

const library: Ask = async (asked, id, by, reason) => {
  const tree = new TaskTree(store)
  const status = statusIn(asked)
  const run = () =>
    status
      ? tree.setStatus(id, status, by, { reason })
      : tree[asked as Exclude<Asked, `=${Status}`>](id, by)
  try {
    return isChanged(await run()) ? 'done' : 'already'
  } catch (error) {
    assert.ok(error instanceof TreeError, String(error))
    return error.code
  }
}

const http: Ask = async (asked, id, by, reason) => {
  const status = statusIn(asked)
  const [method, path] = status ? ['PATCH', 'status'] : ['POST', asked]
  const {
    status: code,
    body,
    headers,
  } = await api.ask<{ code: TreeErrorCode }>(method, `/api/tasks/${id}/${path}`, {
    agent: by,
    body: status ? { status, ...(reason && { reason }) } : {},
  })
  if (code === 200) return headers.get('x-changed') === 'false' ? 'already' : 'done'
  assert.equal(code, httpStatuses[body.code])
  return body.code
}

/** Which code a program means by how it ends, and the word that JSON has for it. */
const exits: Readonly<Record<number, readonly [word: string, ...codes: TreeErrorCode[]]>> = {
  11: ['refused', 'INVALID_TRANSITION'],
  12: ['conflict', 'ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
  13: ['not_owner', 'NOT_CLAIM_OWNER'],
}

const commandLine: Ask = async (asked, id, by, reason) => {
  const status = statusIn(asked)
  const words = status ? ['update', id, '--status', status] : [asked, id]
  const desk = new Desk(url, newDirectory(), by)
  const { exit, stdout } = await desk.run(['task', ...words, ...(reason ? ['-r', reason] : [])])
  if (exit === 0) return /already/.test(stdout) || asked === 'reclaim' ? 'already' : 'done'
  const [word, ...codes] = exits[exit] ?? ['?']
  const { code, message, claimed_by } = JSON.parse(
    (await desk.run(['task', ...words, '--json'])).stdout,
  ).error
  assert.equal(code, word)
  // Who has it stands beside the words.
  const { claimed_by: holder } = await new TaskTree(store).get(id)
  if (exit >= 12) assert.equal(claimed_by, holder)
  return (codes.length > 1 && /not claimable/.test(message) ? codes[1] : codes[0]) as Heard
}

const surfaces: Readonly<Record<string, Ask>> = { library, HTTP: http, coven: commandLine }

/** A task that ann brought into a status. */
async function taskIn(status: Status): Promise<Task> {
  const tree = new TaskTree(store)
  const { id } = await tree.create({ title: status })
  if (status === 'open') return tree.get(id)
  await tree.claim(id, 'ann')
  if (status === 'pending_merge') return tree.complete(id, 'ann')
  if (status === 'blocked') return tree.block(id, 'ann')
  if (status === 'closed') return tree.complete(id, 'ann', { skip_review: true })
  return tree.get(id)
}

/** What bob hears of what ann has done, and what ann hears who asks for it again. */
const table: readonly (readonly [asked: Asked, from: Status, bob: Heard, ann: Heard])[] = [
  ['claim', 'in_progress', 'ALREADY_CLAIMED', 'ALREADY_CLAIMED'],
  ['claim', 'pending_merge', 'NOT_CLAIMABLE', 'NOT_CLAIMABLE'],
  ['claim', 'closed', 'NOT_CLAIMABLE', 'NOT_CLAIMABLE'],
  ['reclaim', 'in_progress', 'ALREADY_CLAIMED', 'already'],
  ['reclaim', 'open', 'NOT_CLAIMABLE', 'NOT_CLAIMABLE'],
  ['complete', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['complete', 'pending_merge', 'NOT_CLAIM_OWNER', 'INVALID_TRANSITION'],
  ['block', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['release', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['approve', 'closed', 'INVALID_TRANSITION', 'INVALID_TRANSITION'],
  ['=in_progress', 'in_progress', 'ALREADY_CLAIMED', 'already'],
  ['=in_progress', 'pending_merge', 'NOT_CLAIMABLE', 'NOT_CLAIMABLE'],
  ['=pending_merge', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['=pending_merge', 'pending_merge', 'ALREADY_CLAIMED', 'already'],
  ['=closed', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['=closed', 'closed', 'already', 'already'],
  ['=open', 'open', 'already', 'already'],
  ['=open', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
  ['=blocked', 'blocked', 'already', 'already'],
  ['=blocked', 'in_progress', 'NOT_CLAIM_OWNER', 'done'],
]

for (const [name, ask] of Object.entries(surfaces))
  describe(`over ${name}`, () => {
    for (const [asked, from, bob, ann] of table)
      test(`${asked} of ann's task that is ${from}: bob hears ${bob}, ann ${ann}`, async () => {
        const before = await taskIn(from)
        assert.equal(await ask(asked, before.id, 'bob'), bob)
        assert.deepEqual(await new TaskTree(store).get(before.id), before)
        assert.equal(await ask(asked, before.id, 'ann'), ann)
      })

    test('of three agents who ask for in_progress at once, one hears that it is done', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await taskIn('open')
        const agents = ['ann', 'bob', 'cy']
        const heard = await Promise.all(agents.map((by) => ask('=in_progress', id, by)))
        const { claimed_by } = await new TaskTree(store).get(id)
        assert.deepEqual(
          heard,
          agents.map((by) => (by === claimed_by ? 'done' : 'ALREADY_CLAIMED')),
        )
      }
    })

    test('of two reviewers who close at once, the second hears that it was closed, and only the first reason is kept', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await taskIn('pending_merge')
        const agents = ['bob', 'cy']
        const heard = await Promise.all(agents.map((by) => ask('=closed', id, by, `said ${by}`)))
        assert.deepEqual(heard.toSorted(), ['already', 'done'])
        const changes = await new TaskTree(store).history(id, { field: 'status' })
        const closing = changes.filter(({ new_value }) => new_value === 'closed')
        assert.deepEqual(
          closing.map(({ changed_by, reason }) => [changed_by, reason]),
          agents.filter((_, at) => heard[at] === 'done').map((by) => [by, `said ${by}`]),
        )
      }
    })
  })

describe('over MCP', () => {
  /** Asking for what is so already changes nothing there, but what another agent has is never so. */
  const told = async (action: string, id: string, agent: string): Promise<string> => {
    await using desk = await mcpDesk({ store })
    const { isError, data } = await desk.call('tree_change', { action, id, agent })
    if (isError) return `${data.error.code} ${data.error.claimed_by ?? ''}`.trimEnd()
    return data.changed ? 'done' : 'already'
  }

  test('what another agent has is refused, by every action', async () => {
    const { id } = await taskIn('in_progress')
    assert.equal(await told('claim', id, 'bob'), 'conflict ann')
    for (const action of ['complete', 'block', 'release'])
      assert.equal(await told(action, id, 'bob'), 'not_owner ann')
    assert.equal(await told('claim', id, 'ann'), 'already')
    assert.equal(await told('complete', id, 'ann'), 'done')
    assert.equal(await told('complete', id, 'ann'), 'already')
    assert.equal(await told('complete', id, 'bob'), 'not_owner ann')
  })

  test('of two who approve at once, the second hears that nothing was left to do', async () => {
    const { id } = await taskIn('pending_merge')
    const heard = await Promise.all(['bob', 'cy'].map((by) => told('approve', id, by)))
    assert.deepEqual(heard.toSorted(), ['already', 'done'])
  })
})
