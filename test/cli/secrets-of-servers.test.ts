import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type NatsServer, startNats } from '../servers/nats.ts'
import { cleanUp, newDirectory } from './desk.ts'

cleanUp()

/** One that takes longer is one that waits for its store. */
const answerMsMax = 10_000
/** How long what runs is left without its store, so that it says what it thinks of that. */
const outageMs = 1_500
const paths = ['', 'docs', 'openapi.json', 'metrics', 'api/models', 'api/queue/stats', 'nowhere']

/** A program that runs on, and all that it says. */
function running(name: string, args: readonly string[], options: { cwd: string; env: object }) {
  const env = { PATH: process.env['PATH'], HOME: options.cwd, ...options.env }
  const child = spawn(join(process.cwd(), 'bin', name), args, { cwd: options.cwd, env })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said.text += text
    })
  return { child, said }
}

/** Everything that a server answers, with its headers. */
async function answersOf(base: string): Promise<string> {
  const answers = paths.map(async (path) => {
    const answer = await fetch(new URL(path, base), { signal: AbortSignal.timeout(answerMsMax) })
    return `${JSON.stringify([...answer.headers])}${await answer.text()}`
  })
  const settled = await Promise.allSettled(answers)
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : '')).join('\n')
}

describe('what runs on a store says nothing of its password', () => {
  let nats: NatsServer
  let url = ''
  const directory = newDirectory()
  const password = 'zebra-9'
  beforeAll(async () => {
    nats = await startNats({ user: { name: 'ada', password } })
    url = nats.url.replace('nats://', `nats://ada:${password}@`)
    writeFileSync(
      join(directory, 'handlers.mjs'),
      'export const greet = () => { throw new Error("no") }\n',
    )
  })
  afterAll(() => nats[Symbol.asyncDispose]())

  for (const [name, ...args] of [
    ['holdfast', 'serve', '--port', '0', '--samples'],
    ['coven', 'serve', '--port', '0'],
    ['qo', 'worker', '--handlers', 'handlers.mjs', '--metrics', '0'],
    ['qo', 'worker', '--exec', 'mail=true', '--metrics', '0', '--json'],
    ['qo', 'monitor', '--metrics', '0'],
    ['holdfast', 'mcp'],
  ] as const)
    test(`${name} ${args.join(' ')}`, async () => {
      const env = { HOLDFAST_STORE: `${url}?timeout_ms=1000`, HOLDFAST_LOG: 'debug' }
      const { child, said } = running(name, args, { cwd: directory, env })
      try {
        const wanted = args[0] === 'mcp' ? /The store is/ : /http:\/\/127\.0\.0\.1:\d+/
        await eventually(async () => assert.match(said.text, wanted))
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.text) ?? []
        const answers = address === undefined ? '' : await answersOf(address)
        await nats.kill()
        await sleep(outageMs)
        const failures = address === undefined ? '' : await answersOf(address)
        await nats.restart()
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
        assert.doesNotMatch(said.text + answers + failures, /zebra/)
      } finally {
        child.kill('SIGKILL')
      }
    })
})
