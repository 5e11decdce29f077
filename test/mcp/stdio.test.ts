import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, test } from 'vitest'
import { checkup } from '../../src/inventory/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { until } from '../eventually.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'))
afterAll(() => rmSync(folder, { recursive: true }))

const program = resolve('bin/holdfast')
const args = [program, 'mcp', '--store', 'sqlite:tasks.db']
const env = { ...process.env, HOLDFAST_AGENT: 'me' } as Record<string, string>

test('a client of the official SDK works with the program', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: folder,
    env,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '0.0.0' })
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given })
    return JSON.parse((content as { text: string }[])[0]!.text)
  }
  const plan = await call('plan_goal', { title: 'Ship it' })
  assert.match(plan.directory, /holdfast-mcp-/)
  await call('tree_create', { title: 'Task' })
  assert.equal((await call('tree_change', { action: 'claim' })).claimed_by, 'me')
  await client.close()
})

test('inside a coven workspace it works on the tree of coven, by its matchers as they are now', async () => {
  const workspace = join(realpathSync(folder), 'project', '.coven')
  const cwd = join(workspace, '..', 'src')
  mkdirSync(cwd, { recursive: true })
  mkdirSync(workspace)
  const rules = (name: string) =>
    writeFileSync(
      join(workspace, 'grimoire-matchers.yaml'),
      `matchers:\n  - { name: all, grimoire: ${name}, match: {} }\n`,
    )
  rules('first')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    cwd,
    env: { ...env, HOME: join(folder, 'home'), HOLDFAST_STORE: '' },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk) => (said += chunk))
  const client = new Client({ name: 'test', version: '0.0.0' })
  await client.connect(transport)
  assert.equal(
    said,
    `holdfast: The store is sqlite:${workspace}/tasks.db (workspace ${workspace}).\n`,
  )
  await using store = await openStore(`sqlite:${workspace}/tasks.db`)
  const tree = new TaskTree(store)
  const claimed = async (title: string) => {
    const { id } = await tree.create({ title })
    await client.callTool({ name: 'tree_change', arguments: { action: 'claim', id } })
    const { claimed_by, grimoire } = await tree.get(id)
    return [claimed_by, grimoire]
  }
  assert.deepEqual(await claimed('a'), ['me', 'first'])
  rules('the-other')
  assert.deepEqual(await claimed('b'), ['me', 'the-other'])
  await client.close()
  assert.ok(!existsSync(join(folder, 'home')))
})

/** Starts the program; what it says, and how it ends, come later. */
function started() {
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' })
  let said = ''
  let complaints = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk))
  return { child, said: () => said, complaints: () => complaints, ended: once(child, 'close') }
}

const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  },
})

test('a client that sends garbage and vanishes leaves nothing behind', async () => {
  const { child, said, ended } = started()
  child.stdin.write(`no JSON at all\n{"jsonrpc":"2.0"}\n[]\n${hello}\n`)
  await until(() => said().includes('"serverInfo"'))
  for (const line of said().trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
})

test('a client that vanishes in the midst of its calls leaves whole tasks, or none', async () => {
  const { child, said, complaints, ended } = started()
  child.stdin.write(`${hello}\n`)
  await until(() => said().includes('"serverInfo"'))
  child.stdout.destroy()
  for (let id = 2; id < 32; id++) {
    const params = { name: 'list_add', arguments: { text: `Task ${id}`, tags: ['vanished'] } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
  }
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
  assert.match(complaints(), /^holdfast: The store is sqlite:\S+tasks\.db\.\n$/)
  await using store = await openStore(`sqlite:${join(folder, 'tasks.db')}`)
  for (const { text } of await new TaskList(store).query({ all: ['vanished'] }))
    assert.match(text, /^Task \d+$/)
  for await (const { name, ok, detail } of checkup(store, {})) assert.ok(ok, `${name}: ${detail}`)
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it cleanly', async (signal) => {
  const { child, said, ended } = started()
  child.stdin.write(`${hello}\n`)
  await until(() => said().includes('"serverInfo"'))
  child.kill(signal)
  assert.deepEqual(await ended, [0, null])
})
