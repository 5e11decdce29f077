import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fetchInspector, inspector, newerNode } from '../fetch/index.mjs'
import { started } from '../started.mjs'

const stepMsMax = 60_000
const toolsMax = 10
/** How the inspector ends where a tool says that something is wrong. */
const toolError = 5

/** What the inspector asks for, and what it must get: the exit code, and something in its answer. */
const stepsIn = (directory) => [
  // With --strict it fails where a schema is not one that every client can read.
  {
    ask: ['tools/list', '--strict'],
    check: ({ tools }) => tools.length > 0 && tools.length <= toolsMax,
  },
  {
    ask: ['tools/list', '--strict', '--protocol-era', 'modern'],
    check: ({ tools }) => tools.length > 0,
  },
  {
    ask: call('plan_goal', { title: 'Inspect it', directory }),
    check: (result) => told(result).goal,
  },
  {
    ask: call('plan_tasks', { add: [{ title: 'One' }], directory }),
    check: (result) => told(result).open === 1,
  },
  { ask: call('tree_create', { title: 'A task' }), check: (result) => told(result).id },
  { ask: call('list_add', { text: 'Buy milk' }), check: (result) => told(result).id },
  {
    ask: call('list_add', { text: 3 }),
    exit: toolError,
    check: (result) => told(result).error.code === 'invalid',
  },
  {
    ask: call('tree_show', { id: 'ffffffff' }),
    exit: toolError,
    check: (result) => told(result).error.code === 'not_found',
  },
  { ask: ['resources/list'], check: ({ resources }) => resources.length === 2 },
  {
    ask: ['resources/read', '--uri', 'holdfast://plan'],
    check: ({ contents }) => contents[0].text,
  },
  {
    ask: ['resources/read', '--uri', 'holdfast://ready'],
    check: ({ contents }) => JSON.parse(contents[0].text).ready.length === 1,
  },
  { ask: ['prompts/list'], check: ({ prompts }) => prompts.length === 0 },
]

const call = (tool, given) => [
  'tools/call',
  ...['--tool-name', tool, '--tool-args-json', JSON.stringify(given)],
]

const told = ({ content }) => JSON.parse(content[0].text)

/** Has the MCP inspector use the server of an installed package, over stdin and over HTTP. */
export async function checkMcp(project) {
  await fetchInspector()
  const folder = mkdtempSync(join(project, 'mcp-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    MCP_CATALOG_PATH: join(folder, 'none.json'),
  }
  const program = join(project, 'node_modules/holdfast/bin/holdfast')
  const inspect = (target) => inspected(stepsIn(folder), target, { cwd: folder, env })
  try {
    const own = ['--store', `sqlite:${folder}/stdio.db`]
    const count = await inspect(['--cwd', folder, '--', process.execPath, program, 'mcp', ...own])
    const http = ['serve', '--port', '0', '--store', `sqlite:${folder}/http.db`]
    const until = /listens on (\S+)\n/
    const { found, end } = await started(process.execPath, [program, ...http], {
      cwd: folder,
      env,
      until,
    })
    try {
      await inspect(['--transport', 'http', '--server-url', `${found[1]}/mcp`])
    } finally {
      await end()
    }
    return `${count} steps over stdin, and over HTTP`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inspected(steps, target, options) {
  for (const { ask, exit = 0, check } of steps) {
    const args = [inspector, '--cli', '--format', 'json', '--method', ...ask, ...target]
    const ended = await run(newerNode, args, options)
    const said = `${ask.join(' ')}: exit ${ended.code}\n${ended.stdout}${ended.stderr}`
    if (ended.code !== exit) throw new Error(said)
    if (!check(JSON.parse(ended.stdout).result)) throw new Error(said)
  }
  return steps.length
}

async function run(command, args, options) {
  const child = spawn(command, args, { ...options, timeout: stepMsMax })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text
    })
  child.stdin.end()
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { code, ...said }
}
