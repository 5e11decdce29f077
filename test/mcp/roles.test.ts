import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, test } from 'vitest'
import { tools } from '../../src/mcp/server.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { servedAll } from '../http/holdfast/served.ts'
import { type Bearer, bearers, contentsOf } from '../http/named/bearers.ts'
import { mcpDesk } from './client.ts'

/** Said once more: what each tool needs. */
const roleOf = {
  plan_show: 'read',
  plan_goal: 'work',
  plan_tasks: 'work',
  tree_list: 'read',
  tree_show: 'read',
  tree_create: 'work',
  tree_change: 'work',
  list_show: 'read',
  list_add: 'work',
  list_change: 'work',
} as const satisfies Readonly<Record<string, string>>

const given: Readonly<Record<keyof typeof roleOf, Record<string, unknown>>> = {
  plan_show: { directory: '/tmp' },
  plan_goal: { directory: '/tmp', title: 'x' },
  plan_tasks: { directory: '/tmp', add: [{ title: 'x', description: '' }] },
  tree_list: {},
  tree_show: { id: '01a1e099' },
  tree_create: { title: 'x' },
  tree_change: { action: 'claim' },
  list_show: {},
  list_add: { text: 'x' },
  list_change: { id: 'abc', done: true },
}

async function connected(url: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '0.0.0' })
  const requestInit = { headers }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  return client
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  return { isError, data: JSON.parse((content as { text: string }[])[0]?.text as string) }
}

async function servedWith(
  run: (url: string, all: Record<string, Bearer>, store: Store) => Promise<void>,
) {
  await using store = await openStore('memory:')
  const all = await bearers(store)
  await using serving = await servedAll(store)
  await run(serving.url, all, store)
}

describe('tools of a named token', () => {
  test('are those of its role; the others change nothing', () =>
    servedWith(async (url, all, store) => {
      assert.deepEqual(Object.fromEntries(tools.map(({ name, role }) => [name, role])), roleOf)
      const before = await contentsOf(store)
      const client = await connected(url, all['read'] as Bearer)
      for (const [name, role] of Object.entries(roleOf)) {
        const { isError, data } = await call(client, name, given[name as keyof typeof given])
        if (role === 'read') assert.notEqual(data.error?.code, 'FORBIDDEN_ROLE', name)
        else {
          assert.equal(isError, true)
          assert.equal(data.error.code, 'FORBIDDEN_ROLE', name)
          assert.equal(
            data.error.message,
            'This needs the role work; the token read has the role read.',
          )
        }
      }
      await client.readResource({ uri: 'holdfast://ready' })
      assert.equal(await contentsOf(store), before)
      await client.close()
      const worker = await connected(url, all['work'] as Bearer)
      for (const name of Object.keys(roleOf)) {
        const { data } = await call(worker, name, given[name as keyof typeof given])
        assert.notEqual(data.error?.code, 'FORBIDDEN_ROLE', name)
      }
      await worker.close()
    }))

  test('act in its name, or in one below it, and in no other', () =>
    servedWith(async (url, all, store) => {
      const work = all['work'] as Bearer
      const tree = new TaskTree(store)
      const client = await connected(url, work)
      const { data: made } = await call(client, 'tree_create', { title: 'x' })
      assert.equal((await tree.history(made.id)).at(-1)?.changed_by, 'work')
      for (const agent of ['ann', 'work/', 'worker']) {
        const { isError, data } = await call(client, 'tree_change', { action: 'claim', agent })
        assert.deepEqual([isError, data.error.code], [true, 'FORBIDDEN_AGENT'])
        const created = await call(client, 'tree_create', { title: 'y', agent })
        assert.equal(created.data.error.code, 'FORBIDDEN_AGENT')
      }
      const claim = { action: 'claim', id: made.id, agent: 'work/2' }
      assert.equal((await call(client, 'tree_change', claim)).data.claimed_by, 'work/2')
      await client.close()
      await assert.rejects(connected(url, { ...work, 'X-Agent-ID': 'ann' }))
      const named = await connected(url, { ...work, 'X-Agent-ID': 'work/3' })
      const { data: other } = await call(named, 'tree_create', { title: 'z' })
      assert.equal((await tree.history(other.id)).at(-1)?.changed_by, 'work/3')
      await named.close()
    }))

  test('and what else there is at that path needs a token, and tells one by one who may not', () =>
    servedWith(async (url, all) => {
      const post = (body: unknown, headers: Record<string, string>) =>
        fetch(`${url}/mcp`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: JSON.stringify(body),
        })
      const ask = (id: number, name: string, args: object) => ({
        ...{ jsonrpc: '2.0', id, method: 'tools/call' },
        params: { name, arguments: args },
      })
      const batch = [ask(1, 'list_show', {}), ask(2, 'list_add', { text: 'by batch' })]
      assert.equal((await post(batch, {})).status, 401)
      await (await post(batch, all['read'] as Bearer)).text()
      const text = await (await post(ask(3, 'list_show', {}), all['read'] as Bearer)).text()
      assert.ok(!text.includes('by batch') && text.includes('tasks'), text)
      for (const method of ['GET', 'DELETE', 'PUT'])
        assert.equal((await fetch(`${url}/mcp`, { method })).status, 401)
    }))

  test('are all there for who runs the program', async () => {
    await using store = await openStore('memory:')
    await using desk = await mcpDesk({ store })
    assert.equal((await desk.ask('list_add', { text: 'x' })).changed, true)
    const { id } = await desk.ask('tree_create', { title: 'x', agent: 'ann' })
    assert.equal(
      (await desk.ask('tree_change', { action: 'claim', id, agent: 'bob' })).claimed_by,
      'bob',
    )
  })
})
