import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, test } from 'vitest'

const built = (path: string) => pathToFileURL(join('dist', path)).href

/** A program whose main is this text, as a process of its own. */
const program = (main: string, environment: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', sourceOf(main)], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })

const sourceOf = (main: string) => `
  import { run } from '${built('cli/run.js')}'
  import { say } from '${built('cli/output.js')}'
  import { StoreError } from '${built('store/index.js')}'
  await run('prog', async () => { ${main} })`

const throwDown = `throw new StoreError('down', 'The server is away.', 'Start it.', new Error('inner'))`

describe('run', () => {
  test('ends with the code that main answers, all of its output written', () => {
    const { status, stdout } = program(`say('x'.repeat(1_000_000)); return 5`)
    assert.equal(status, 5)
    assert.equal(stdout.length, 1_000_001)
  })

  test('says a StoreError in one line, and ends by the table', () => {
    const { status, stdout, stderr } = program(throwDown)
    assert.deepEqual(
      { status, stdout, stderr },
      { status: 7, stdout: '', stderr: 'prog: The server is away. Start it.\n' },
    )
  })

  test('says anything else in one line too, and ends with 1', () => {
    const { status, stderr } = program(`throw new TypeError('two\\n  lines')`)
    assert.deepEqual({ status, stderr }, { status: 1, stderr: 'prog: two lines\n' })
  })

  test('shows the stack and the causes where HOLDFAST_DEBUG is set', () => {
    const { status, stderr } = program(throwDown, { HOLDFAST_DEBUG: '1' })
    assert.equal(status, 7)
    assert.match(stderr, /^prog: StoreError: The server is away\.[\s\S]*\n +at /)
    assert.match(stderr, /inner/)
  })
})

describe('holdfast demo', () => {
  test('ends quietly when its reader leaves, and cleans up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
    try {
      const demo = spawn('bin/holdfast', ['demo'], { env: { ...process.env, TMPDIR: folder } })
      let stderr = ''
      demo.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      await once(demo.stdout, 'data')
      demo.stdout.destroy()
      const [status] = await once(demo, 'close')
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('says in one line that there is no place for its file', () => {
    const { status, stderr } = spawnSync('bin/holdfast', ['demo'], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: '/nonexistent' },
    })
    assert.equal(status, 1)
    assert.match(stderr, /^holdfast: .*\/nonexistent.*\n$/)
  })
})
