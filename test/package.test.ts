import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { forOutside } from './environment-at-start.ts'

const installMsMax = 240_000

test(
  'the package installs into an empty project, stays small, and runs there',
  () => {
    // The other Nodes, and what publint and the types say, are the rest of `npm run release-check`.
    const output = execFileSync(process.execPath, ['scripts/release-check.mjs', '--quick'], {
      encoding: 'utf8',
      env: { ...process.env, ...forOutside },
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
  s3: /drivers\/s3\/driver|fast-xml-parser|@aws-sdk/,
  http: /@hono|\/hono\//,
  sqlite: /drivers\/sqlite|better-sqlite3/,
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

function loadedBy(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-loaded-'))
  try {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(told)}`]
    const script = `${program}; console.log(process.moduleLoadList.join('\\n'))`
    return execFileSync(
      '/bin/sh',
      ['-c', '"$0" "$@" 2>&1', process.execPath, ...args, '--input-type=module', '-e', script],
      { encoding: 'utf8', env: { ...process.env, FOLDER: folder, NODE_NO_WARNINGS: '1' } },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('only what is used is loaded', () => {
  const open = (url: string) =>
    `const { openStore } = await import('holdfast/store'); const store = await openStore(${url}); await store[Symbol.asyncDispose]()`
  const programs: readonly [string, string, readonly (keyof typeof foreign)[]][] = [
    ['holdfast/store', "await import('holdfast/store')", ['nats', 's3', 'http', 'sqlite']],
    ['SQLite', open("'sqlite:' + process.env.FOLDER + '/x.db'"), ['nats', 's3', 'http']],
    ['memory', open("'memory:'"), ['nats', 's3', 'http', 'sqlite']],
    ['holdfast/queue', "await import('holdfast/queue')", ['nats', 's3', 'http', 'sqlite']],
    ['holdfast/tree', "await import('holdfast/tree')", ['nats', 's3', 'http', 'sqlite']],
  ]
  for (const [name, program, absent] of programs)
    test(`by ${name}`, () => {
      const loaded = loadedBy(program)
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
      assert.doesNotMatch(loaded, /(nats|s3|http)[\w-]*\.cjs/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
