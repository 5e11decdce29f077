import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { measured, median } from '../rounds.ts'
import { startNats } from '../servers/nats.ts'
import { temporaryFolder } from '../store/ground.ts'
import { numbers } from './states.ts'
import { startTmux } from './tmux.ts'
import { until } from './watched.ts'

const latencyMsMax = 200
const changesInRound = 5
const told = { cmd: 'np test' }

/** Makes a session with so many tasks and four times as many events. */
async function fill(url: string, tasks: number): Promise<string> {
  await using store = await openStore(url)
  const plans = new Plans(store)
  const { sid } = (await plans.start(tmpdir())).session
  const ids: string[] = []
  for (let at = 0; at < tasks; at += 250) {
    const titles = numbers(Math.min(250, tasks - at), at).map((number) => ({ title: `T${number}` }))
    for (const { event } of await plans.addTasks(sid, titles, told))
      if (event.type === 'task_added') ids.push(event.payload.task.id)
  }
  for (const status of ['doing', 'done', 'pending'])
    for (let at = 0; at < ids.length; at += 200)
      await plans.updateTasks(
        sid,
        ids.slice(at, at + 200).map((id) => ({ id, status })),
        told,
      )
  return sid
}

/** Medians of the time in ms from a moment to the screen of a terminal. */
interface Medians {
  /** From the answer that another process got for its change. */
  readonly changesMs: number
  /** From a key. */
  readonly keysMs: number
}

async function measure(what: string, url: string, sid: string): Promise<void> {
  await using folder = await temporaryFolder()
  await using tmux = await startTmux()
  await tmux.monitor([url, sid])
  await tmux.sees(/^Updated /m)
  await using writer = new Child('plan-writer', [url, sid])
  await writer.message()
  const record = folder.path('record')
  writeFileSync(record, '')
  await tmux.record(record)
  /** When this was written to the terminal. To ask for the screen again and again would take longer. */
  const written = async (text: string): Promise<number> => {
    await until(text, () => readFileSync(record, 'utf8').includes(text))
    return Date.now()
  }
  const round = async (nth: number): Promise<Medians> => {
    const changes: number[] = []
    const keys: number[] = []
    for (const number of numbers(changesInRound, 1 + nth * changesInRound)) {
      await sleep(Math.random() * 150)
      const title = `Change ${number}.`
      writer.send(title)
      const seen = written(title)
      const done = await writer.message<number>()
      changes.push(Math.max(0, (await seen) - done))
      await tmux.sees(new RegExp(`added +\\w+ +${title}`))
      const typed = Date.now()
      truncateSync(record)
      await tmux.type(number % 2 ? 'G' : 'g')
      keys.push((await written('Tasks')) - typed)
    }
    return { changesMs: median(changes), keysMs: median(keys) }
  }
  const { changesMs, keysMs } = await measured(
    round,
    (seen) => seen.changesMs < latencyMsMax && seen.keysMs < latencyMsMax,
  )
  process.stdout.write(`${what}: changes after ${changesMs} ms, keys after ${keysMs} ms\n`)
  await tmux.type('q')
  await tmux.sees(/^exit 0$/m)
}

test.each([20, 5_000])(
  'with %d tasks on SQLite, what another process changes is on the screen within 200 ms',
  async (tasks) => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('store.db')}`
    await measure(`SQLite, ${tasks} tasks`, url, await fill(url, tasks))
  },
)

test('on NATS, what another process changes is on the screen within 200 ms', async () => {
  await using server = await startNats()
  await measure('NATS', server.url, await fill(server.url, 20))
})
