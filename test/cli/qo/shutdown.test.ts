import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { Queue } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

interface Place extends AsyncDisposable {
  readonly url: string
  readonly env?: NodeJS.ProcessEnv
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  sqlite: async () => ({
    url: `sqlite:${join(newDirectory(), 'queue.db')}`,
    [Symbol.asyncDispose]: async () => {},
  }),
  nats: startNats,
  's3 (MinIO)': async () => {
    const { account, url } = await s3Bucket(sharedMinio())
    return { url: url('end'), env: account.environment, [Symbol.asyncDispose]: async () => {} }
  },
}

/** Notes that it goes on, whoever asks it to end; a second attempt only notes that it starts. */
const module = (file: string) => `
import { appendFileSync } from 'node:fs'
const note = (line) => appendFileSync(${JSON.stringify(file)}, line + '\\n')
// What keeps a process alive.
setInterval(() => {}, 1000)
export const t = async (input, { attempt }) => {
  if (attempt > 1) return note('second')
  for (;;) {
    note('first')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
`

/** The same by a command, which takes no notice of SIGTERM. */
const command = (file: string) =>
  `t=trap '' TERM; if [ $QO_ATTEMPT -gt 1 ]; then echo second >> ${file}; exit; fi; ` +
  `while :; do echo first >> ${file}; sleep 0.02; done`

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n')

for (const [name, open] of Object.entries(places))
  describe(`qo worker on ${name}`, () => {
    test.each([
      ['function', 7_000],
      // A command has 5 s to end after SIGTERM.
      ['command', 12_000],
    ] as const)(
      'a %s that ignores the end is given back and gone at once: it never runs beside the next attempt',
      async (kind, msMax) => {
        await using place = await open()
        const env = { HOLDFAST_STORE: place.url, ...place.env }
        const directory = newDirectory()
        const desk = new Desk(place.url, directory)
        const file = join(directory, 'notes')
        const args =
          kind === 'function'
            ? ['--handlers', desk.place('stubborn.mjs', module(file))]
            : ['--exec', command(file)]
        const start = (...more: string[]) =>
          Running.start(['worker', ...args, '--shutdown-deadline', '200ms', ...more], env)
        await using store = await openStore(place.url)
        const queue = new Queue(store)
        const { id } = await queue.submit({ type: 't', maxRetries: 0 })
        await using worker = await start()
        await worker.begun(id)
        await until(() => existsSync(file))
        await using other = await start()
        const startedAt = performance.now()
        assert.equal(await worker.end('SIGTERM'), 0)
        const ms = performance.now() - startedAt
        assert.ok(ms < msMax, `it took ${ms} ms to end`)
        await other.event('completed', id)
        const lines = linesOf(file)
        assert.ok(lines.lastIndexOf('first') < lines.indexOf('second'), lines.slice(-5).join())
        const task = await queue.get(id)
        assert.deepEqual([task.status, task.attempt, task.retry_count], ['completed', 2, 0])
        assert.equal((await queue.workers()).length, 1)
        await worker.event('requeued', id)
        await queue.close()
      },
    )
  })

describe('qo worker', () => {
  test('ends although a module keeps the process alive', async () => {
    const directory = newDirectory()
    const desk = new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
    const file = desk.place('alive.mjs', module(join(directory, 'notes')))
    await using worker = await Running.start(['worker', '--handlers', file], {
      HOLDFAST_STORE: desk.url,
    })
    const startedAt = performance.now()
    assert.equal(await worker.end('SIGTERM'), 0)
    const ms = performance.now() - startedAt
    assert.ok(ms < 10_000, `it took ${ms} ms`)
  })
})
