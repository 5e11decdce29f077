import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Program } from '../../../src/cli/program/command.ts'
import { run, type Setting } from '../terminal.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-text-'))
  writeFileSync(join(folder, 'note'), 'from a file\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Answers with the text that it was given. */
const program: Program = {
  name: 'prog',
  about: 'reads text.',
  commands: [
    {
      name: 'say',
      about: 'say it again',
      arguments: [{ name: 'TEXT', about: 'what to say', isOptional: true }],
      options: { file: { value: 'PATH', about: 'from a file' } },
      async run(context) {
        const { args, out } = context
        const text = await context.readText({ text: args.words[0], file: args.value('file') })
        out.answer({ kind: 'text', data: { text: text ?? null }, lines: [] })
      },
    },
  ],
}

const read = async (args: readonly string[], setting: Setting = {}) => {
  const { exit, stdout } = await run(program, ['say', '--json', ...args], {
    cwd: folder,
    ...setting,
  })
  const { data, error } = JSON.parse(stdout)
  return error ? { exit, message: error.message as string } : { exit, text: data.text as string }
}

describe('text', () => {
  test('is the argument itself, and stdin is left alone', async () => {
    assert.deepEqual(await read(['hello']), { exit: 0, text: 'hello' })
    assert.deepEqual(await read([]), { exit: 0, text: null })
  })

  const fromStdin: readonly [string, string][] = [
    ['hello\n', 'hello'],
    ['hello', 'hello'],
    ['two\nlines\n\n', 'two\nlines\n'],
    ['dos\r\n', 'dos'],
    ['`ticks` $x "q"\n', '`ticks` $x "q"'],
    ['Käse ☕ 買う', 'Käse ☕ 買う'],
    ['\ufeffwith a mark', 'with a mark'],
    ['', ''],
  ]
  for (const [stdin, text] of fromStdin)
    test(`- reads ${JSON.stringify(stdin)} from stdin`, async () => {
      assert.deepEqual(await read(['-'], { stdin }), { exit: 0, text })
      assert.deepEqual(await read(['--file', '-'], { stdin }), { exit: 0, text })
    })

  test('--file reads a file, relative to the working directory or not', async () => {
    assert.deepEqual(await read(['--file', 'note']), { exit: 0, text: 'from a file' })
    assert.deepEqual(await read(['--file', join(folder, 'note')]), { exit: 0, text: 'from a file' })
  })

  const refused: readonly [string[], Setting, RegExp][] = [
    [['--file', 'missing'], {}, /^missing can't be read: ENOENT/],
    [['--file', '.'], {}, /^\. can't be read: EISDIR/],
    [['hello', '--file', 'note'], {}, /^The text was given twice\./],
    [['-'], { stdin: Uint8Array.of(0xff, 0xfe) }, /^stdin holds no UTF-8 text\./],
    [['-'], { stdin: 'x'.repeat(9_000_000) }, /^stdin holds more than 8388608 bytes\./],
  ]
  for (const [args, setting, message] of refused)
    test(`${args.join(' ')}: ${message.source}`, async () => {
      const outcome = await read(args, setting)
      assert.equal(outcome.exit, 2)
      assert.match(outcome.message ?? '', message)
    })
})
