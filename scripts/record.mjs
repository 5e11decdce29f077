// `npm run soak -- record`: runs every test on real stores that kills, stops or starves something, and adds up what they note
// (test/record.ts). Prints the table of docs/reliability.md. Fails on any violation.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodeOf, root } from './shell.mjs'

/** In the order of the table. Each notes figures, or the record is not whole. */
const files = [
  'test/store/sqlite/kill.test.ts',
  'test/store/sqlite/crashes.test.ts',
  'test/store/s3/kill.test.ts',
  'test/store/nats/unrest.test.ts',
  'test/list/kills.test.ts',
  'test/plan/kills.test.ts',
  'test/jobs/kills.test.ts',
  'test/tree/kills.test.ts',
  'test/queue/kills.test.ts',
  'test/queue/fire.test.ts',
  'test/jobs/fire.test.ts',
  'test/plan/processes.test.ts',
  'test/list/processes.test.ts',
  'test/tree/processes.test.ts',
  'test/jobs/pauses.test.ts',
  'test/queue/pauses.test.ts',
  'test/store/sqlite/full-disk.test.ts',
  'test/store/nats/full-disk.test.ts',
  'test/store/s3/full-disk.test.ts',
  'test/store/sqlite/read-only.test.ts',
  'test/store/nats/faults.test.ts',
  'test/store/s3/minio-faults.test.ts',
  'test/store/s3/ministack-faults.test.ts',
]
/** Histories of concurrent clients, checked against the contract of a store; they note no figures. */
const histories = ['sqlite', 'nats', 's3'].map((store) => `test/linearizability/${store}.test.ts`)
const killRoundsMin = 700
/** More than cores, for much of it waits. */
const workers = 3
/** In the order of the page. */
const promises = ['durable', 'whole', 'one holder', 'exact', 'honest', 'history']
const counts = ['killRounds', 'faults', 'operations', 'lost', 'doubles']

/** Runs all of it; answers with the exit code. */
export async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-record-'))
  const path = join(folder, 'lines.jsonl')
  const startedAt = performance.now()
  try {
    const args = ['run', ...files, ...histories, `--maxWorkers=${workers}`]
    const code = await exitCodeOf(
      process.execPath,
      [root('node_modules/vitest/vitest.mjs'), ...args],
      {
        env: { HOLDFAST_SOAK: 'record', HOLDFAST_TEST_BUILT: '1', HOLDFAST_RECORD: path },
      },
    )
    return told(linesOf(path), code, performance.now() - startedAt)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function linesOf(path) {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

function told(lines, code, ms) {
  const all = { ...added(lines), what: '**All**', file: '', stores: [], ms }
  const rows = [...rowsOf(lines), all]
  process.stdout.write(`\n${tableOf(rows)}\n\n`)
  const violations = violationsIn(lines, all, code)
  for (const violation of violations) process.stderr.write(`holdfast: ${violation}\n`)
  const figures = [
    `${shown(all.killRounds)} kill rounds`,
    `${shown(all.lost)} acknowledged writes lost`,
    `${shown(all.doubles)} double holders`,
    `${violations.length} violations`,
  ]
  process.stdout.write(`${figures.join(', ')}\n`)
  return violations.length === 0 ? 0 : 1
}

function violationsIn(lines, { killRounds, lost, doubles }, code) {
  const silent = files.filter((file) => !lines.some((line) => line.file === file))
  return [
    ...(code === 0 ? [] : ['A test failed: see above.']),
    ...(lost === 0 ? [] : [`${lost} acknowledged writes were lost.`]),
    ...(doubles === 0 ? [] : [`${doubles} tasks had two holders.`]),
    ...silent.map((file) => `${file} noted no figures.`),
    ...(killRounds >= killRoundsMin ? [] : [`There were fewer than ${killRoundsMin} kill rounds.`]),
  ]
}

/** One for each thing that happens, whatever the stores. */
function rowsOf(lines) {
  const groups = new Map()
  for (const line of lines) {
    const key = `${line.file} ${line.what}`
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return [...groups.values()].map(added).sort((a, b) => placeOf(a) - placeOf(b))
}

const placeOf = ({ file }) => (files.includes(file) ? files.indexOf(file) : files.length)

function added(lines) {
  const sum = (name) => lines.reduce((total, line) => total + line[name], 0)
  return {
    what: lines[0]?.what,
    file: lines[0]?.file,
    stores: [...new Set(lines.map(({ store }) => store))],
    promises: promises.filter((name) => lines.some((line) => line.promises.includes(name))),
    ms: sum('ms'),
    ...Object.fromEntries(counts.map((name) => [name, sum(name)])),
  }
}

function tableOf(rows) {
  const heads = [
    'What happens',
    'Stores',
    'Test',
    'Promises',
    'Kill rounds',
    'Faults',
    'Acknowledged',
    'Lost',
    'Double',
    'Time',
  ]
  const cells = rows.map(({ what, stores, file, promises: kept, ms, ...row }) => [
    what,
    stores.join(', '),
    file.replace(/^test\/(.*)\.test\.ts$/, '$1'),
    kept.map((name) => promises.indexOf(name) + 1).join(' '),
    ...counts.map((name) => shown(row[name])),
    timeOf(ms),
  ])
  const rule = heads.map((_, at) => (at < 4 ? '---' : '---:'))
  return [heads, rule, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const shown = (number) => number.toLocaleString('en-US')

function timeOf(ms) {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
