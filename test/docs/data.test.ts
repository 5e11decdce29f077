import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import { configIn } from '../../src/cli/coven/config.ts'
import { codeOfReason } from '../../src/store/error.ts'
import { explainGrimoire, parseMatchers, retentionDefaults } from '../../src/tree/internal.ts'
import { type Block, type Page, pages } from './page.ts'
import { Session } from './session.ts'

/** Everything that a page may show. What is not run, compared or parsed is a picture: `text`, or no language. */
const languages = ['sh', 'console', 'js', 'ts', 'json', 'yaml', 'python', 'text', '']

const blocksIn = (path: string, language: string): readonly Block[] => {
  const { blocks } = pages.find((page) => page.path === path) as Page
  return blocks.filter((block) => block.language === language)
}
const onlyBlock = (path: string, language: string): string => {
  const blocks = blocksIn(path, language)
  assert.equal(blocks.length, 1, `${path} has ${blocks.length} blocks of ${language}`)
  return (blocks[0] as Block).code
}

/** One value, or one a line. */
const valuesIn = (json: string): unknown[] =>
  /^\{.*\}\n\{/.test(json)
    ? json
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [JSON.parse(json)]

describe('every block is of a kind that a test looks at', () => {
  for (const { path, text, blocks } of pages)
    test(path, () => {
      const unknown = blocks.filter(({ language }) => !languages.includes(language))
      assert.deepEqual(unknown, [])
      assert.equal(text.match(/^```/gm)?.length ?? 0, blocks.length * 2, 'a fence is not closed')
      const typed = blocks.filter(
        ({ language, code }) => /^(text)?$/.test(language) && /^\$ /m.test(code),
      )
      assert.deepEqual(typed, [], 'commands are shown, and nothing runs them: make it console')
      for (const { language, code } of blocks) {
        if (language === 'json') assert.ok(valuesIn(code).length > 0)
        if (language === 'yaml') assert.ok(parse(code) !== null)
      }
    })
})

test('the TypeScript that is shown is that of the driver, which has a test of its own', () => {
  const paths = pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'ts'))
  assert.deepEqual(
    paths.map(({ path }) => path),
    ['docs/drivers.md'],
  )
})

test('the matchers of docs/matchers.md are without fault, and explain a task as it is shown there', async () => {
  const { rules, findings } = await parseMatchers(onlyBlock('docs/matchers.md', 'yaml'))
  assert.deepEqual(findings, [])
  const shown = JSON.parse(onlyBlock('docs/matchers.md', 'json'))
  const { tags, priority, type, grimoire_hint, parent_grimoire } = shown.task_properties
  const body = 'See CVE-2026-1.'
  const task = { title: 'Any', body, tags, priority, type, grimoire_hint, parent_id: null }
  assert.ok(rules)
  const explained = explainGrimoire({ rules, problem: null }, task, parent_grimoire)
  const evaluation = explained.evaluation.slice(0, shown.evaluation.length)
  assert.deepEqual({ ...explained, evaluation }, shown)
})

test('the configuration in docs/coven.md is made of the defaults', async () => {
  await using session = new Session()
  mkdirSync(join(session.folder, '.coven'))
  const file = join(session.folder, '.coven', 'config.yaml')
  writeFileSync(file, onlyBlock('docs/coven.md', 'yaml'))
  const config = await configIn(join(session.folder, '.coven'), assert.fail)
  assert.deepEqual(config, retentionDefaults)
})

test('an export has the fields that docs/operations.md shows', async () => {
  const shown = valuesIn(onlyBlock('docs/operations.md', 'json')) as object[]
  await using session = new Session()
  await session.take({ command: 'ut add "Buy milk"', shown: null })
  const command = 'holdfast export 2>/dev/null'
  const lines = (await session.printed(command)).trim().split('\n')
  assert.deepEqual(
    lines.map((line) => Object.keys(JSON.parse(line))),
    shown.map((value) => Object.keys(value)),
  )
})

test('an agent that is set up as docs/mcp.md shows gets an answer', async () => {
  const { mcpServers } = JSON.parse(onlyBlock('docs/mcp.md', 'json'))
  const { command, args } = mcpServers.holdfast
  await using session = new Session()
  const child = spawn(resolve('bin', command), args, {
    cwd: session.folder,
    env: { PATH: process.env['PATH'], HOME: session.folder },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise((done) => child.once('close', done))
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'docs', version: '1' },
  }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  for await (const line of createInterface({ input: child.stdout })) {
    assert.equal(JSON.parse(line).result.serverInfo.name, 'holdfast')
    break
  }
  child.stdin.end()
  await ended
})

test('a handler in Python that a page shows takes an input on stdin, and answers in JSON', () => {
  const shown = pages.flatMap(({ blocks }) =>
    blocks.filter(({ language }) => language === 'python'),
  )
  for (const { code } of shown) {
    const output = execFileSync('python3', ['-c', code], {
      input: '{"path": "a.png"}',
      encoding: 'utf8',
    })
    assert.equal(typeof JSON.parse(output), 'object')
  }
})

test('docs/stores.md names every reason for which a store fails, below the code that it has', () => {
  const { text } = pages.find(({ path }) => path === 'docs/stores.md') as Page
  const row = (code: string) => text.split('\n').find((line) => line.startsWith(`| \`${code}\` |`))
  const missing = Object.entries(codeOfReason).filter(
    ([reason, code]) => !row(code)?.includes(`\`${reason}\``),
  )
  assert.deepEqual(missing, [])
})
