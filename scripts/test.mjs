// `npm test`: checks formatting and lint, types, and runs the tests, those of the SQLite driver on both
// engines. The last line counts them all. `npm` has made the checkout ready before, by scripts/setup.mjs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newerNode } from './fetch/index.mjs'
import { exitCodeOf, root, say } from './shell.mjs'

const node = process.execPath
const bin = (path) => root('node_modules', path)
const reports = mkdtempSync(join(tmpdir(), 'holdfast-test-'))

/** Each check adds what passed and failed; a tool that only says yes or no counts as one. */
const checks = [
  {
    name: 'Format and lint',
    run: () => tool([bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  },
  { name: 'Types', run: () => tool([bin('typescript/bin/tsc'), '-p', 'tsconfig.json']) },
  { name: 'Types of the page', run: () => tool([bin('typescript/bin/tsc'), '-p', 'web']) },
  // What is timed takes long enough once: the test run below measures it.
  {
    name: 'SQLite tests on a newer Node, built-in engine',
    run: () =>
      vitest(newerNode, ['test/store/sqlite', '--project=other'], { HOLDFAST_KILL_ROUNDS: '40' }),
  },
  {
    name: `Tests on Node ${process.version}`,
    run: () => vitest(node, process.argv.slice(2)),
  },
]

const total = { passed: 0, failed: 0 }
try {
  for (const { name, run } of checks) {
    say(`${name}.`)
    const { passed, failed } = await run()
    total.passed += passed
    total.failed += failed
  }
} finally {
  rmSync(reports, { recursive: true, force: true })
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exitCode = total.failed === 0 ? 0 : 1

async function tool(args) {
  const code = await exitCodeOf(node, args)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

async function vitest(executable, filters, env = {}) {
  const report = join(reports, `${checks.length}-${Math.random()}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = [bin('vitest/vitest.mjs'), 'run', ...reporters, ...filters]
  const code = await exitCodeOf(executable, args, { env })
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'))
  // A run that fails without a failing test, as for an unhandled error, is a failure as well.
  const failed = Math.max(numTotalTests - numPassedTests, code === 0 ? 0 : 1)
  return { passed: numPassedTests, failed }
}
