import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, test } from 'vitest'

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

/** Starts the program; what it says, and how it ends, come later. */
function started() {
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  child.stderr.resume()
  return { child, said: () => said, ended: once(child, 'exit') }
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
  while (!said().includes('"serverInfo"')) await new Promise((done) => setTimeout(done, 20))
  for (const line of said().trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it cleanly', async (signal) => {
  const { child, said, ended } = started()
  child.stdin.write(`${hello}\n`)
  while (!said().includes('"serverInfo"')) await new Promise((done) => setTimeout(done, 20))
  child.kill(signal)
  assert.deepEqual(await ended, [0, null])
})
