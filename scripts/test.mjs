// `npm test`: checks formatting and lint, types, and runs the tests, those of the SQLite driver on both
// engines. The last line counts them all. `npm` has made the checkout ready before, by scripts/setup.mjs.
// Files of which a test failed beside all others are run once more by themselves: what fails again is broken, what
// does not is named, for it is not steady.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { newerNode } from './fetch/index.mjs'
import { root, say } from './shell.mjs'
import { keepTimes } from './test-times.mjs'

const node = process.execPath
const bin = (path) => root('node_modules', path)
/** More than these do not fail for want of time. */
const againMax = 5
const reports = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
/** Where test/times.ts notes what each file took. */
const times = join(reports, 'times.jsonl')

/**
 * But for what takes long enough once, and is done by the tests beside these: what is timed or watched for long, and what
 * kills processes again and again, which the file has to bear whatever the engine.
 */
const sqliteTests = readdirSync(root('test/store/sqlite'))
  .filter((name) => /\.test\.ts$/.test(name) && !/^(timed|idle|kill|crashes)\./.test(name))
  .map((name) => `test/store/sqlite/${name}`)

/** Each check adds what passed and failed; a tool that only says yes or no counts as one. */
const checks = [
  {
    name: 'Format and lint',
    run: () => tool([bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  },
  { name: 'Types', run: () => tool([bin('typescript/bin/tsc'), '-p', 'tsconfig.json']) },
  { name: 'Types of the page', run: () => tool([bin('typescript/bin/tsc'), '-p', 'web']) },
  {
    name: 'SQLite tests on a newer Node, built-in engine',
    // So few are done sooner than more workers have begun.
    run: () => vitest(newerNode, [...sqliteTests, '--maxWorkers=2'], 'pipe'),
  },
]

const total = { passed: 0, failed: 0 }
try {
  say(
    `Tests on Node ${process.version}. Beside them: ${checks.map(({ name }) => name).join(', ')}.`,
  )
  // Beside the tests, which often wait: what is timed comes last there, and has the machine to itself by then.
  const [tests, others] = await Promise.all([
    vitest(node, process.argv.slice(2), 'inherit', { HOLDFAST_TEST_TIMES: times }),
    inTurn(checks),
  ])
  keepTimes(times)
  for (const outcome of [...others, tests]) {
    const { passed, failed } = await settled(outcome)
    total.passed += passed
    total.failed += failed
  }
} finally {
  rmSync(reports, { recursive: true, force: true })
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exitCode = total.failed === 0 ? 0 : 1

/** Shows what each said once it has ended, so that it stands together. */
async function inTurn(all) {
  const outcomes = []
  for (const { name, run } of all) {
    const outcome = await run()
    say(`${name}: ${outcome.failed === 0 ? 'passed' : 'FAILED'}.\n${outcome.output}`)
    outcomes.push(outcome)
  }
  return outcomes
}

/** What came of the tests once those that failed have had the machine to themselves. */
async function settled(outcome) {
  const { executable, files = [], failed, failures = [] } = outcome
  // A run may also fail without a failing test, as for an unhandled error.
  if (failures.length === 0 || failures.length < failed || files.length > againMax) return outcome
  say(`${failures.length} failed. Their files again, by themselves: ${files.join(', ')}.`)
  const again = await vitest(executable, [...files, '--maxWorkers=1'], 'inherit')
  const isBroken = new Set(again.failures)
  for (const name of failures)
    if (!isBroken.has(name)) say(`NOT STEADY, passed when alone: ${name}`)
  return { passed: outcome.passed + failed - again.failed, failed: again.failed }
}

async function tool(args) {
  const { code, output } = await ended(node, args, 'pipe')
  return code === 0 ? { passed: 1, failed: 0, output } : { passed: 0, failed: 1, output }
}

async function vitest(executable, filters, stdio, env = {}) {
  const report = join(reports, `${Math.random()}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = [bin('vitest/vitest.mjs'), 'run', ...reporters, ...filters]
  const { code, output } = await ended(executable, args, stdio, env)
  const { numPassedTests, numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  // A run that fails without a failing test, as for an unhandled error, is a failure as well.
  const failed = Math.max(numTotalTests - numPassedTests, code === 0 ? 0 : 1)
  const broken = testResults.filter(({ status }) => status !== 'passed')
  const files = broken.map(({ name }) => relative(root(), name))
  const failures = broken.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(({ fullName }) => `${relative(root(), name)}: ${fullName}`),
  )
  return { executable, passed: numPassedTests, failed, output, files, failures }
}

/** Runs a program to its end; its output is ours, or kept. */
function ended(command, args, stdio, env = {}) {
  const child = spawn(command, args, {
    cwd: root(),
    stdio: ['ignore', stdio, stdio],
    env: { ...process.env, ...env, HOLDFAST_TEST_BUILT: '1' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
