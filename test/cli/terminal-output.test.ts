import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { unseenIn } from '../terminal/unseen.ts'
import { cleanUp, newDirectory, newMemory } from './desk.ts'
import { type AnyCommand, everyCommand, programs } from './every-command.ts'
import { type Outcome, run, type Setting } from './terminal.ts'

cleanUp()

/** One of each kind: what turns the direction, what nobody sees, what hides in tags, and what steers a terminal. */
const obeyed = [
  ...['\u200e', '\u200f', '\u061c', '\u202a', '\u202e', '\u2066', '\u2069'],
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\u2064', '\ufeff', '\u180e', '\u00ad', '\ufe0f'],
  ...['\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u{e01ef}', '\u3164', '\ufff9'],
]
const control = ['\u001b', '\u009b', '\u0007', '\u0000', '\u007f', '\r', '\b', '\u2028', '\u2029']

const hostile = (characters: readonly string[] = obeyed): string =>
  `${characters.map((character) => `a${character}`).join('')}z`

/** What runs on, until it is told to end; the rest of what it prints goes the same way. */
const lasting = [
  ...['coven serve', 'holdfast serve', 'holdfast mcp', 'holdfast demo'],
  ...['qo worker', 'qo monitor', 'qo tail'],
]
/** What was asked for as it is. */
const documents = ['np x', 'holdfast export']

/** Options without which a command only says that they are missing. */
const needed: Readonly<Record<string, (text: string) => string[]>> = {
  'np g s': (text) => ['-t', text, '-d', text],
  'np g u': (text) => ['-t', text, '-r', text],
  'np t a': (text) => ['-t', `new ${text}`, '-d', text],
  'ut edit': (text) => ['--text', `edited ${text}`],
  'coven task create': (text) => ['--title', text],
  'coven task update': (text) => ['--title', `new ${text}`],
  'coven task block': (text) => ['--reason', text],
  'coven task reject': (text) => ['--reason', text],
  'qo submit': (text) => ['-t', text, '-i', JSON.stringify(text)],
  'holdfast agents uninstall': () => ['--force'],
}

/** A directory and a store in which everything that can be named is named by such a text. */
class World {
  readonly directory: string
  readonly #store = newMemory()
  readonly #ids: Record<string, string> = {}

  private constructor(text: string) {
    this.directory = join(newDirectory(), text.replaceAll(/[/\0]/g, ''))
    mkdirSync(join(this.directory, '.coven'), { recursive: true })
    const matcher = { name: text, grimoire: text, match: { tag: text } }
    this.#place('.coven/grimoire-matchers.yaml', JSON.stringify({ matchers: [matcher] }))
    const steered = text + hostile(control)
    this.#place(
      'AGENTS.md',
      `${steered}\n<!-- holdfast: begin (made, 000000000000); ${steered}\n${steered}\n<!-- holdfast: end -->\n`,
    )
  }

  static async of(text: string): Promise<World> {
    const world = new World(text)
    await world.#fill(text)
    return world
  }

  #place(path: string, text: string): void {
    writeFileSync(join(this.directory, path), text)
  }

  async #fill(text: string): Promise<void> {
    const tag = text.replaceAll(/\s/g, '')
    const ut = await this.#json('ut', 'add', text, '-t', tag)
    this.#ids['ut'] = ut.id
    await this.#json('np', 's')
    await this.#json('np', 'g', 's', '-t', text, '-d', `${text}\n\t${text}`)
    await this.#json('np', 't', 'a', '-t', text, '-d', text)
    const tree = await this.#json('coven', 'task', 'create', '--title', text, '--body', text)
    this.#ids['coven'] = tree.id
    await this.#json('coven', 'task', 'tag', 'add', tree.id, tag)
    await this.#json('coven', 'task', 'claim', tree.id)
    const queue = await this.#json('qo', 'submit', '-t', text, '-i', JSON.stringify(text))
    this.#ids['qo'] = queue.id
  }

  async #json(name: string, ...args: string[]) {
    const program = programs.find((each) => each.name === name)!
    const { exit, stdout, stderr } = await run(program, [...args, '--json'], this.#setting)
    assert.equal(exit, 0, `${name} ${args.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout).data
  }

  get #setting(): Setting & { env: Record<string, string> } {
    const env = { HOLDFAST_STORE: this.#store, COVEN_AGENT_ID: 'agent', HOME: this.directory }
    return { cwd: this.directory, stdin: '', env }
  }

  run(
    { program, line, words }: AnyCommand,
    text: string,
    more: Setting & { form?: string[] } = {},
  ) {
    const id = this.#ids[program.name] ?? text
    const args = words.map((word) => (word === 'abcdef01' ? id : word))
    const { form = [], ...setting } = more
    return run(program, [...args, ...(needed[line]?.(text) ?? []), ...form], {
      ...this.#setting,
      ...setting,
      env: { ...this.#setting.env, ...setting.env },
    })
  }
}

/** What a program draws itself: a line of progress, over and over. */
const drawn = new RegExp(`\\r[^\\r]*${'\u001b'}\\[K`, 'g')

const assertHarmless = ({ stdout, stderr }: Outcome, what: string) => {
  assert.deepEqual(unseenIn(stdout.replaceAll(drawn, '')), [], `${what}: ${JSON.stringify(stdout)}`)
  assert.deepEqual(unseenIn(stderr.replaceAll(drawn, '')), [], `${what}: ${JSON.stringify(stderr)}`)
}

const ending = everyCommand.filter(({ line }) => !lasting.includes(line))

describe('what somebody else wrote does nothing to a terminal', () => {
  test('the list of exceptions names commands that there are', () => {
    const lines = everyCommand.map(({ line }) => line)
    assert.deepEqual(
      [...lasting, ...documents, ...Object.keys(needed)].filter((line) => !lines.includes(line)),
      [],
    )
  })

  for (const command of ending.filter(({ line }) => !documents.includes(line)))
    test(command.line, async () => {
      const text = hostile()
      for (const [form, isTerminal] of [
        [[], false],
        [[], true],
        [['--json'], false],
      ] as const) {
        const world = await World.of(text)
        assertHarmless(
          await world.run(command, text, { form: [...form], isTerminal, stdin: 'y\n' }),
          `${command.line} ${form}`,
        )
      }
    })

  test('in errors that quote what was typed, each character by its number', async () => {
    const text = `${hostile()}${hostile(control.filter((each) => each !== '\0'))}`
    const world = await World.of('plain')
    for (const command of ending)
      for (const form of [[], ['--json']]) {
        for (const given of [
          [text, text, text],
          [`--${text}`],
          [`--limit=${text}`],
          ['--store', text],
        ])
          assertHarmless(
            await world.run(command, 'plain', { form: [...given, ...form] }),
            `${command.line} ${given[0]}`,
          )
      }
    const { stderr } = await run(programs[0]!, [`x${text}`], { cwd: world.directory })
    for (const number of [
      '\\u202e',
      '\\u200e',
      '\\u061c',
      '\\u{e0041}',
      '\\u200b',
      '\\x1b',
      '\\x9b',
    ])
      assert.ok(stderr.includes(number), `${number} in ${stderr}`)
  })

  test('with --json it means what was written', async () => {
    const text = hostile()
    const world = await World.of(text)
    for (const line of ['ut show', 'coven task show', 'np g']) {
      const command = everyCommand.find((each) => each.line === line)!
      const { stdout } = await world.run(command, text, { form: ['--json'] })
      assert.match(stdout, /\\udb40\\udc41/)
      const { text: words, title } = JSON.parse(stdout).data
      assert.equal(title ?? words, text, line)
    }
  })

  for (const line of documents)
    test(`${line} writes it unchanged`, async () => {
      const text = hostile()
      const world = await World.of(text)
      const command = everyCommand.find((each) => each.line === line)!
      assert.ok((await world.run(command, text)).stdout.includes(text))
      if (line === 'np x')
        assertHarmless(await world.run(command, text, { form: ['--json'] }), `${line} --json`)
    })

  test('whatever is written', async () => {
    const character = fc.oneof(
      fc.constantFrom(...obeyed),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    )
    const texts = fc
      .array(character, { maxLength: 20 })
      .map((characters) => `x${characters.join('').replaceAll(/[\p{Cc},/]/gu, '')}y`)
    const printing = ['ut ls', 'ut tags', 'np p', 'np prime', 'np e', 'coven task list', 'qo list']
    const commands = everyCommand.filter(({ line }) => printing.includes(line))
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const world = await World.of(text.replaceAll(/\s/g, ''))
        for (const command of commands) {
          const { stdout } = await world.run(command, text)
          // Some stay, where a language or an emoji needs them.
          const left = unseenIn(stdout).filter(
            (point) => !/^(200[cd]|180[bcdf]|fe0[ef])$/.test(point),
          )
          assert.deepEqual(left, [], JSON.stringify(stdout))
        }
        rmSync(world.directory, { recursive: true })
      }),
      { numRuns: 30 },
    )
  })
})
