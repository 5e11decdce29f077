import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { type Task, TaskTree } from '../../../src/tree/index.ts'
import { within } from '../../rounds.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { directories, withDirectories } from './ground.ts'
import { servedAll } from './served.ts'

withDirectories()

/** A client of the official SDK, over HTTP. */
async function connected(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '0.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers },
  })
  await client.connect(transport)
  return client
}

async function ask(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [first] = content as { text: string }[]
  assert.ok(!isError, first?.text)
  return JSON.parse(first?.text as string)
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })

describe('the Model Context Protocol over HTTP', () => {
  test('tools and resources, as over stdin; who asks claims by the name in its header', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const client = await connected(serving.url, { 'X-Agent-ID': 'ann' })
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'tree_change'))
    const made = await ask(client, 'tree_create', { title: 'Part' })
    const claimed = await ask(client, 'tree_change', { action: 'claim' })
    assert.deepEqual([claimed.id, claimed.claimed_by], [made.id, 'ann'])
    await ask(client, 'plan_goal', { title: 'Ship it', directory: directories.new })
    const { goal } = await ask(client, 'plan_show', { directory: directories.new })
    assert.equal(goal.title, 'Ship it')
    await ask(client, 'list_add', { text: 'milk' })
    const { contents } = await client.readResource({ uri: 'holdfast://ready' })
    assert.equal(contents.length, 1)
    await client.close()
    const other = await connected(serving.url)
    await ask(other, 'tree_create', { title: 'Other' })
    assert.equal((await ask(other, 'tree_change', { action: 'claim' })).claimed_by, 'mcp')
    await other.close()
  })

  test('a claim selects the grimoire by the matchers of the workspace', async () => {
    await using folder = await temporaryFolder()
    const { writeFile } = await import('node:fs/promises')
    const rules =
      'matchers:\n  - name: docs\n    grimoire: write-docs\n    match:\n      any_tags: [docs]\n'
    await writeFile(folder.path('grimoire-matchers.yaml'), rules)
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { folder: folder.path('') })
    const { id } = await new TaskTree(store).create({ title: 'x', tags: ['docs'] }, 'ann')
    const client = await connected(serving.url)
    await ask(client, 'tree_change', { action: 'claim', id })
    await client.close()
    const task = (await (await fetch(`${serving.url}/api/tasks/${id}`)).json()) as Task
    assert.equal(task.grimoire, 'write-docs')
  })

  test('is behind the same guard: token, host and origin', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { token: 'sesame' })
    await assert.rejects(connected(serving.url))
    assert.equal((await post(serving.url, '{}')).status, 401)
    const authorization = { Authorization: 'Bearer sesame' }
    const foreign = { ...authorization, Origin: 'http://evil.example' }
    assert.equal((await post(serving.url, '{}', foreign)).status, 403)
    const client = await connected(serving.url, authorization)
    assert.ok((await client.listTools()).tools.length > 0)
    await client.close()
  })

  test('what is no request is refused, and never a failure of ours', async () => {
    await using store = await openStore('memory:')
    const log: string[] = []
    await using serving = await servedAll(store, { log: (line) => log.push(line) })
    for (const body of ['', '{', '[]', '7', '{"jsonrpc":"2.0"}', 'x'.repeat(2_000_000)]) {
      const { status } = await post(serving.url, body)
      assert.ok(status >= 400 && status < 500, `${body.slice(0, 20)}: ${status}`)
    }
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      assert.equal((await fetch(`${serving.url}/mcp`, { method })).status, 405, method)
    assert.deepEqual(log, [])
  })

  test('a server that ends lets its clients go', () =>
    within(4_000, async (timed) => {
      await using store = await openStore('memory:')
      const serving = await servedAll(store)
      const client = await connected(serving.url)
      await client.listTools()
      await timed(() => serving[Symbol.asyncDispose]())
      await client.close()
    }))
})
