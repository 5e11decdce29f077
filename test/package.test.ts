import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'
import { forOutside } from './environment-at-start.ts'
import { placeOfData } from './servers/place.ts'

const installMsMax = 240_000

/** Of thousands of small files, most of the work is to get them to a disk, and from thread to thread. */
const sparing = { TMPDIR: placeOfData(false), UV_THREADPOOL_SIZE: '1' }

test(
  'the package installs into an empty project, stays small, and runs there',
  () => {
    // The other Nodes, and what publint and the types say, are the rest of `npm run release-check`.
    const output = execFileSync(process.execPath, ['scripts/release-check.mjs', '--quick'], {
      encoding: 'utf8',
      env: { ...process.env, ...forOutside, ...sparing },
      timeout: installMsMax,
    })
    assert.match(output, /^ok {4}size: \d+ packages, \d+\.\d MB$/m)
    assert.match(output, new RegExp(`^ok {4}Node ${process.version}$`, 'm'))
  },
  installMsMax,
)

/** What may not be loaded by who has no use for it. */
const foreign = {
  nats: /@nats-io/,
  s3: /drivers\/s3\/(?:driver|store|client)|@aws-sdk/,
  http: /@hono|\/hono\//,
  // What a driver says of its URLs is loaded with every program; the driver is not.
  sqlite: /drivers\/sqlite\/(?!scheme\.js)|better-sqlite3/,
  screens: /\/ink\/|\/react\//,
  agents: /modelcontextprotocol/,
}

/** Tells of every module as it is found, on stderr; in a process of its own, for what is loaded stays. */
const told = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs'
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context)
    writeSync(2, found.url + '\\\\n')
    return found
  }
\`))`

/** What stands between the programs. */
const mark = '@@@'

/** Runs programs one after another in one process; for each, what was loaded by then, the earlier ones included. */
function loadedBy(programs: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-loaded-'))
  try {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(told)}`]
    const tell = `writeSync(2, process.moduleLoadList.join('\\n') + '\\n${mark}\\n')`
    const script = programs.map((program) => `{ ${program}; ${tell} }`).join('\n')
    const text = execFileSync(
      '/bin/sh',
      [
        '-c',
        '"$0" "$@" 2>&1',
        process.execPath,
        ...args,
        '--input-type=module',
        '-e',
        `import { writeSync } from 'node:fs'\n${script}`,
      ],
      { encoding: 'utf8', env: { ...process.env, FOLDER: folder, NODE_NO_WARNINGS: '1' } },
    )
    const parts = text.split(`${mark}\n`).slice(0, -1)
    assert.equal(parts.length, programs.length, text)
    return parts.map((_, at) => parts.slice(0, at + 1).join(''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('only what is used is loaded', () => {
  const open = (url: string) =>
    `const { openStore } = await import('holdfast/store'); const store = await openStore(${url}); await store[Symbol.asyncDispose]()`
  // In an order in which none may load what a later one must not.
  const programs: readonly [string, string, readonly (keyof typeof foreign)[]][] = [
    ['holdfast/store', "await import('holdfast/store')", ['nats', 's3', 'http', 'sqlite']],
    ['memory', open("'memory:'"), ['nats', 's3', 'http', 'sqlite']],
    ['holdfast/queue', "await import('holdfast/queue')", ['nats', 's3', 'http', 'sqlite']],
    ['holdfast/tree', "await import('holdfast/tree')", ['nats', 's3', 'http', 'sqlite']],
    ['SQLite', open("'sqlite:' + process.env.FOLDER + '/x.db'"), ['nats', 's3', 'http']],
  ]
  let all: string[] = []
  beforeAll(() => {
    all = loadedBy(programs.map(([, program]) => program))
  })
  for (const [at, [name, , absent]] of programs.entries())
    test(`by ${name}`, () => {
      const loaded = all[at] as string
      assert.match(loaded, /\/dist\/store\/index\.js/)
      if (name === 'SQLite') assert.match(loaded, foreign.sqlite)
      for (const each of [...absent, 'screens', 'agents'] as const)
        assert.doesNotMatch(loaded, foreign[each], each)
      assert.doesNotMatch(loaded, /^NativeModule _?http/m)
    })

  test('by ut on SQLite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-loaded-'))
    const script = `process.on('exit', () => console.log(Object.keys(require.cache).join('\\n')));
      process.argv.splice(1, 0, 'ut'); require('./dist/cli/ut.cjs').start()`
    try {
      const loaded = execFileSync(process.execPath, ['-e', script, 'add', 'Buy milk'], {
        encoding: 'utf8',
        env: { ...process.env, HOLDFAST_STORE: `sqlite:${folder}/x.db` },
      })
      assert.match(loaded, /dist\/cli\/ut\.cjs/)
      for (const each of ['nats', 's3', 'http', 'screens', 'agents'] as const)
        assert.doesNotMatch(loaded, foreign[each], each)
      // The start of a name: a hash may hold such letters, too.
      assert.doesNotMatch(loaded, /\/(nats|s3|http)[\w-]*\.cjs/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
