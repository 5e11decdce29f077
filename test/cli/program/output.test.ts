import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Command, Program } from '../../../src/cli/program/command.ts'
import { ReaderGone } from '../../../src/cli/program/io.ts'
import { runProgram } from '../../../src/cli/program/main.ts'
import { run } from '../terminal.ts'
import { sample } from './sample.ts'

const saying = (run: Command['run']): Program => ({
  name: 'prog',
  about: 'says something.',
  commands: [{ name: 'go', about: 'say it', ...(run && { run }) }],
})

describe('output', () => {
  test('a list that is cut says so on stderr', async () => {
    const { stdout, stderr } = await run(sample, ['list', '--limit', '20'])
    assert.equal(stdout.split('\n').length, 21)
    assert.equal(stderr, '20 of 47\n')
  })

  test('a list that is not cut says nothing', async () => {
    assert.equal((await run(sample, ['list', '--limit', '47'])).stderr, '')
    assert.equal((await run(sample, ['list'])).stderr, '')
  })

  test('the envelope of a list has v, kind, data, total and shown, in one line', async () => {
    const { stdout } = await run(sample, ['list', '--limit', '2', '--json'])
    assert.equal(stdout, '{"v":1,"kind":"number.list","data":[0,1],"total":47,"shown":2}\n')
  })

  test('the envelope of a single thing has no counts', async () => {
    const { stdout } = await run(sample, ['goal', '--json'])
    assert.equal(stdout, '{"v":1,"kind":"goal","data":{}}\n')
  })

  test('--quiet leaves confirmations out, not answers', async () => {
    assert.equal((await run(sample, ['goal', 'set', '--quiet'])).stdout, '')
    assert.equal((await run(sample, ['goal', '--quiet'])).stdout, 'goal\n')
  })

  test('--quiet with --json still gives the envelope that was asked for', async () => {
    const { stdout } = await run(sample, ['goal', 'set', '--quiet', '--json'])
    assert.equal(JSON.parse(stdout).kind, 'goal')
  })

  test('--quiet leaves out notes, but not warnings', async () => {
    const program = saying(async ({ out }) => {
      out.note('A note.')
      out.warn('A warning.')
    })
    assert.equal((await run(program, ['go'])).stderr, 'prog: A note.\nprog: warning: A warning.\n')
    assert.equal((await run(program, ['go', '--quiet'])).stderr, 'prog: warning: A warning.\n')
  })

  test('with --json notes and warnings go to stderr as well', async () => {
    const program = saying(async ({ out }) => {
      out.note('A note.')
      out.warn('A warning.')
      out.say('bit by bit')
      out.answer({ kind: 'thing', data: {}, lines: ['human'] })
    })
    const { stdout, stderr } = await run(program, ['go', '--json'])
    assert.equal(stdout, '{"v":1,"kind":"thing","data":{}}\n')
    assert.equal(stderr, 'prog: A note.\nprog: warning: A warning.\n')
  })

  test('JSON escapes the control characters that it need not', async () => {
    const text = '\u001b\u007f\u009b\u2028'
    const program = saying(async ({ out }) => out.answer({ kind: 'x', data: { text }, lines: [] }))
    const { stdout } = await run(program, ['go', '--json'])
    assert.match(stdout, /^[\x20-\x7e]*\n$/)
    assert.equal(JSON.parse(stdout).data.text, text)
  })

  test('a command may end with a code of its own', async () => {
    assert.equal((await run(sample, ['code'])).exit, 6)
  })

  test('a reader who leaves is no failure', async () => {
    let stderr = ''
    const exit = await runProgram(sample, ['list'], {
      stdout: {
        write: () => {
          throw new ReaderGone()
        },
        isTerminal: async () => false,
        columns: async () => null,
      },
      stderr: {
        write: (text) => {
          stderr += text
        },
        isTerminal: async () => false,
        columns: async () => null,
      },
      stdin: (async function* () {})(),
      isInputTerminal: async () => false,
      env: {},
      cwd: () => '/',
    })
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  })
})
