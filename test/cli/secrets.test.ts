import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { cleanUp, newDirectory } from './desk.ts'
import { type AnyCommand, everyCommand } from './every-command.ts'
import { type Outcome, run, type Setting } from './terminal.ts'

cleanUp()

const directory = newDirectory()
const configHome = join(directory, 'config')
/** Where nothing can be made: a path below it can't be opened. */
const file = join(directory, 'file')
const work = join(directory, 'work')

/** Each holds the secret; where something is asked for, nobody listens. */
const urls = [
  'nats://ada:zebra@127.0.0.1:1?timeout_ms=100',
  'nats://zebra@127.0.0.1:1?timeout_ms=100',
  'nats://ada:zebra@127.0.0.1:1,ada:zebra@127.0.0.1:2',
  'nats://ada:zebra@zebra/zebra?zebra#zebra@127.0.0.1:1',
  'nats://ada:80/?zebra&zebra@127.0.0.1:1',
  'nats://127.0.0.1:1?nkey=zebra',
  'nats://127.0.0.1:1?timeout_ms=100&monitor=http://ada:zebra@127.0.0.1:1',
  'nats://127.0.0.1:1?token=zebra',
  'nats://ada:zebra with a space@127.0.0.1:1',
  's3://AKIA:zebra@bucket',
  's3://bucket?endpoint=http://ada:zebra@127.0.0.1:1',
  's3://bucket?endpoint=http://:zebra@127.0.0.1:1',
  's3://bucket?endpoint=http://127.0.0.1:1&timeout_ms=100&secret_access_key=zebra',
  `sqlite:${file}/nats:/ada:zebra@127.0.0.1`,
  `sqlite:${file}/ada:zebra@127.0.0.1`,
  'sqlite://ada:zebra@127.0.0.1/tasks.db',
  'postgres://ada:zebra@127.0.0.1/tasks?sslpassword=zebra',
  'nats:/ada:zebra@127.0.0.1',
  'nats//ada:zebra@127.0.0.1',
  'ada:zebra@127.0.0.1',
  ' nats://ada:zebra@127.0.0.1:1',
  'nats://ada:%zebra@127.0.0.1',
]

/** What a process has in its environment; drivers read it there. */
const secretVariables = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'zebra',
  AWS_SESSION_TOKEN: 'zebra',
  HOLDFAST_TOKEN: 'zebra-zebra-zebra-zebra',
  COVEN_TOKEN: 'zebra-zebra-zebra-zebra',
}

beforeAll(() => {
  writeFileSync(file, '')
  mkdirSync(join(configHome, 'holdfast'), { recursive: true })
  mkdirSync(work)
  Object.assign(process.env, secretVariables)
})
afterAll(() => {
  for (const name of Object.keys(secretVariables)) delete process.env[name]
})

const isSilent = ({ stdout, stderr }: Outcome, what: string) => {
  assert.doesNotMatch(stdout, /zebra/i, what)
  assert.doesNotMatch(stderr, /zebra/i, what)
}

const setting = (env: Record<string, string> = {}): Setting => ({
  cwd: work,
  stdin: '{"holdfast":',
  env: { HOME: work, XDG_CONFIG_HOME: configHome, ...secretVariables, ...env },
})

const tried = ({ program, words }: AnyCommand, more: string[], env: Record<string, string> = {}) =>
  run(program, [...words, ...more], setting(env))

/** A store that can't be opened, so that nothing goes on for long. */
const nowhere = ['--store', `sqlite:${file}/below`]

/** What works without a store, for seconds. */
const withoutStore = (line: string) => line === 'holdfast demo'

describe('no command shows a secret that a URL holds', () => {
  test('there are commands to try', () => assert.ok(everyCommand.length > 60))

  for (const command of everyCommand.filter(({ line }) => !withoutStore(line)))
    test(command.line, async () => {
      for (const url of urls)
        for (const form of [[], ['--json']]) {
          isSilent(await tried(command, ['--store', url, ...form]), url)
          isSilent(await tried(command, form, { HOLDFAST_STORE: url }), `HOLDFAST_STORE=${url}`)
        }
    })

  test('from a settings file, and with what HOLDFAST_DEBUG shows', async () => {
    for (const [at, command] of everyCommand.filter(({ line }) => !withoutStore(line)).entries()) {
      const url = urls[at % urls.length] as string
      const settings = `store: ${JSON.stringify(url)}\ntoken: zebra-zebra-zebra-zebra\n`
      writeFileSync(join(configHome, 'holdfast', 'config.yaml'), settings)
      for (const form of [[], ['--json']])
        isSilent(await tried(command, form, { HOLDFAST_DEBUG: '1' }), `${command.line}: ${url}`)
    }
    writeFileSync(join(configHome, 'holdfast', 'config.yaml'), '')
  })

  test('as a word too many, and as the value of any option', async () => {
    const url = 'nats://ada:zebra and a space@127.0.0.1:1?timeout_ms=100'
    for (const command of everyCommand.filter(({ line }) => !withoutStore(line))) {
      const { place, line } = command
      for (const [name, { value }] of Object.entries(place.options)) {
        const store = name === 'store' ? [] : nowhere
        const given = [`--${name}=${url}`, ...store]
        const outcome = await tried(command, given)
        if (outcome.exit !== 0 || value === undefined) isSilent(outcome, `${line} --${name}`)
      }
      const outcome = await tried(command, [url, url, ...nowhere])
      if (outcome.exit !== 0) isSilent(outcome, `${line} ${url}`)
    }
  })

  test('as the file of an export or import', async () => {
    for (const url of urls)
      for (const form of [[], ['--json'], ['--merge'], ['--force']])
        for (const verb of ['export', 'import']) {
          const { program } = everyCommand.find(({ line }) => line === `holdfast ${verb}`)!
          const store = ['--store', `sqlite:${work}/tasks.db`]
          const outcome = await run(program, [verb, `${url}/below`, ...store, ...form], setting())
          if (outcome.exit !== 0) isSilent(outcome, `${verb} ${url}`)
        }
  })

  test('and no file is left that holds one', () => {
    for (const name of readdirSync(work, { recursive: true, withFileTypes: true }))
      if (name.isFile())
        assert.doesNotMatch(readFileSync(join(name.parentPath, name.name), 'latin1'), /zebra/)
  })
})
