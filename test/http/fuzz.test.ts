import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, test } from 'vitest'
import { schemathesis } from '../../scripts/fetch/paths.mjs'
import { temporaryFolder } from '../store/ground.ts'
import { Served } from './process.ts'

/** What it says is wrong: a status of 500 and more, or anything that the document does not tell. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

const isLong = process.env['HOLDFAST_FUZZ'] === '1'
const examples = isLong ? 340 : 1

/** What schemathesis does: every bound of every schema in turn, then what it draws, then requests that follow from answers. */
const phases = 'examples,coverage,fuzzing,stateful'

const requestsMin = isLong ? 10_000 : 1_500

/**
 * Little more than it needs: for each request, it looks through the environment for a proxy. A short run leaves some
 * requests out.
 */
const environment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PYTHONDONTWRITEBYTECODE: '1',
  ...(isLong ? {} : { SCHEMATHESIS_HOOKS: resolve('test/http/sparing.py') }),
}

/** `streams` never end. All routes of `coven` are routes of `holdfast` as well: a short run tries them once. */
const holdfast = { program: 'holdfast', streams: ['/api/events', '/api/changes'] }
const coven = { program: 'coven', streams: ['/api/events'] }
const programs = isLong ? [coven, holdfast] : [holdfast]

describe.each(programs)('schemathesis on $program serve', (each) => {
  const { program, streams } = each
  test(`finds no fault in ${requestsMin} requests and more`, async () => {
    await using folder = await temporaryFolder()
    const store = `sqlite:${folder.path('tasks.db')}`
    await using served = await Served.start(['--store', store], { cwd: folder.path(''), program })
    const { code, output } = await run([
      'run',
      `${served.url}/openapi.json`,
      ...streams.flatMap((path) => ['--exclude-path', path]),
      ...['--checks', checks.join(',')],
      ...['--phases', phases, '--max-examples', String(examples)],
      // One at a time: two threads of it trip over each other in Python itself.
      ...['--workers', '1', '--suppress-health-check', 'all', '--no-color'],
    ])
    assert.equal(code, 0, output.slice(-20_000))
    assert.match(output, /Selected: (\d+)\/\d+\s+Tested: \1\s/, 'every operation was met')
    const count = Number(/(\d+) generated, \1 passed/.exec(output)?.[1] ?? 0)
    assert.ok(count >= requestsMin, `${count} requests:\n${output.slice(-20_000)}`)
    assert.equal(served.process.exitCode, null)
    assert.equal(served.stderr, '', 'nothing was worth a line in the log')
  }, 1_800_000)
})

async function run(args: readonly string[]): Promise<{ code: number; output: string }> {
  const start = schemathesis()
  if (start === null)
    throw new Error('schemathesis was not fetched: run node scripts/setup.mjs --for-tests')
  const [command, ...first] = start
  await using folder = await temporaryFolder()
  // It keeps a database of examples where it runs.
  const child = spawn(command, [...first, ...args], { cwd: folder.path(''), env: environment })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const [code] = await once(child, 'close')
  return { code, output }
}
