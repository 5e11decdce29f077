import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { WorkerStatus } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { assertLayout } from '../../queue/layout.ts'
import { within } from '../../rounds.ts'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { type Mask, Transcript } from '../transcript.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

const golden = readFileSync(new URL('whole-flow.txt', import.meta.url), 'utf8')

const masks: readonly Mask[] = [
  { name: 'task', form: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, isNumbered: true },
  { name: 'TIME', form: /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g },
  { name: 'SHARD', form: /(?<="shard":")[0-9a-f]/g },
  { name: 'NOTHING', form: /(?<=qo: )(?:There is|Nothing was) .*(?= Start one)/g },
]

interface Place extends AsyncDisposable {
  readonly url: string
  /** What a process needs to get there. */
  readonly env?: NodeJS.ProcessEnv
}

const nothing = async () => {}

/** Where a team starts: nothing is there yet, but for the bucket, which is never made. */
const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: `memory:qo-${process.pid}`, [Symbol.asyncDispose]: nothing }),
  sqlite: async () => ({
    url: `sqlite:${join(newDirectory(), 'deep/below/queue.db')}`,
    [Symbol.asyncDispose]: nothing,
  }),
  nats: startNats,
  's3 (MinIO)': async () => {
    const { account, url } = await s3Bucket(sharedMinio())
    return { url: url('team'), env: account.environment, [Symbol.asyncDispose]: nothing }
  },
}

/** Lines that a person runs; `work` lets a worker run until these tasks have ended. */
const flow: readonly (string | { readonly work: readonly string[] })[] = [
  'list',
  'submit --type send_email --input {"to":"a@b.c"}',
  'submit -t send_email -i {} --retries 0',
  'submit -t resize --key photo-1 --timeout 90s',
  'submit -t resize --key photo-1',
  'submit -t later --at 2099-01-31T08:00:00+01:00',
  'list --status pending --type resize',
  { work: ['task-1', 'task-2'] },
  'status task-1',
  'history task-1',
  'history task-2',
  'list --status failed',
  'replay task-2',
  'replay task-1',
  'archive task-1 task-2',
  'list --status archived',
  'unarchive task-1',
  'cancel task-3 task-4',
  'cancel task-3',
  'cancel task-1',
  'stats',
  'workers',
  'monitor --once',
  'status 00000000-0000-4000-8000-000000000000',
  'list --limit 2',
  'list --json --type later',
]

const handlers = {
  send_email: ({ to }: { to?: string }) => {
    if (to === undefined) throw new Error('There is nobody to write to.')
    return { sent: to }
  },
}

/** Tasks of one tick of the store's clock have no order; S3 tells the time in seconds. */
const tickMs = (url: string): number => (url.startsWith('s3:') ? 1_100 : 2)

async function runFlow(transcript: Transcript, desk: Desk): Promise<void> {
  for (const step of flow)
    if (typeof step === 'string') {
      if (step.startsWith('submit')) await sleep(tickMs(desk.url))
      await transcript.run(step)
    } else
      await desk.work(
        step.work.map((name) => transcript.real(name)),
        handlers as never,
      )
}

/** How long a cancel may take to reach a handler. */
const cancelMsMax = (url: string): number => (url.startsWith('s3:') ? 10_000 : 2_000)

const wrongClock = pathToFileURL(join(process.cwd(), '.tools/test/processes/wrong-clock.js')).href

for (const [kind, open] of Object.entries(places))
  describe(`qo on ${kind}`, () => {
    let place: Place
    beforeAll(async () => {
      place = await open()
    })
    afterAll(() => place[Symbol.asyncDispose]())

    const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      Running.start(['worker', ...args], { HOLDFAST_STORE: place.url, ...place.env, ...env })

    test('a whole flow goes as the transcript shows, and leaves the store in order', async () => {
      const desk = new Desk(place.url, newDirectory())
      const transcript = new Transcript('qo', desk, masks)
      await runFlow(transcript, desk)
      assert.equal(transcript.text, golden)
      await using store = await openStore(place.url)
      await assertLayout(store)
    })

    if (kind === 'memory') return

    test('a cancel reaches a running command in time, and all that it started ends', () =>
      within(cancelMsMax(place.url) + 500, async (timed) => {
        const desk = new Desk(place.url, newDirectory())
        const { id } = await desk.submit('-t', 'long')
        await using worker = await start(['--exec', 'long=sleep 7890123 & wait', '--no-monitor'])
        await worker.begun(id)
        assert.equal((await desk.status(id)).status, 'running')
        assert.equal(await desk.qo('cancel', id), `Cancel requested: ${id}\n`)
        await timed(() => worker.event('cancelled', id))
        assert.equal((await desk.status(id)).status, 'cancelled')
      }))

    test('a worker that is killed leaves its task to another, after its lease', async () => {
      const desk = new Desk(place.url, newDirectory())
      const { id } = await desk.submit('-t', 'fragile', '--retry-initial', '1ms')
      {
        await using worker = await start(['--exec', 'fragile=sleep 60', '--lease', '2s'])
        await worker.begun(id)
        assert.equal((await desk.status(id)).status, 'running')
        await worker.end('SIGKILL')
      }
      await using other = await start(['--exec', 'fragile=echo 1', '--check-interval', '200ms'])
      await other.event('completed', id)
      assert.equal((await desk.status(id)).attempt, 2)
    })

    // The clock of a file is that of its machine.
    if (kind === 'sqlite') return

    for (const hours of [-1, 1])
      test(`a worker whose clock is wrong by ${hours} hour behaves`, async () => {
        const desk = new Desk(place.url, newDirectory())
        const type = `clock${hours}`
        const soon = await desk.submit('-t', type, '--timeout', '100')
        const later = await desk.submit('-t', type, '--delay', '10m')
        await using worker = await start(['--exec', `${type}=sleep 1; echo 1`, '--lease', '3s'], {
          NODE_OPTIONS: `--import=${wrongClock}`,
          WRONG_CLOCK_MS: String(hours * 3_600_000),
        })
        await worker.event('completed', soon.id)
        const { data } = await desk.json('history', soon.id)
        const { lease_expires_at, updated_at } = data[1].task
        assert.ok(Math.abs(Date.parse(updated_at) - Date.now()) < 600_000, updated_at)
        const leaseMs = Date.parse(lease_expires_at) - Date.parse(updated_at)
        assert.ok(leaseMs >= 3_000 && leaseMs < 10_000, `${leaseMs} ms`)
        const told = worker.lines[0] as { at?: string }
        const offMs = Date.parse(told.at ?? '') - Date.now() - hours * 3_600_000
        assert.ok(Math.abs(offMs) < 600_000, 'its clock is indeed wrong')
        // No event tells that it is not begun.
        await sleep(1_000)
        assert.equal((await desk.status(later.id)).attempt, 0)
        const { data: workers } = await desk.json('workers')
        const ours = workers.filter((each: WorkerStatus) => each.task_types.includes(type))
        assert.deepEqual(
          ours.map((each: WorkerStatus) => each.status),
          ['active'],
        )
      })
  })
