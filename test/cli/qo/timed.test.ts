import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { startNats } from '../../servers/nats.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

const idleMs = 20_000
const shareMax = 0.01
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Seconds of a core that a process has used so far, all its threads together. */
function usedSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** What share of a core an idle worker uses, once it has settled. */
async function idleShare(url: string, handlers: readonly string[]): Promise<number> {
  const desk = new Desk(url, newDirectory())
  await desk.submit('-t', 'delayed', '--delay', '1h')
  await using worker = await Running.start(['worker', ...handlers], { HOLDFAST_STORE: url })
  await sleep(5_000)
  const pid = worker.process.pid as number
  const before = usedSeconds(pid)
  await sleep(idleMs)
  return (usedSeconds(pid) - before) / (idleMs / 1000)
}

const module = ['--handlers', join(process.cwd(), 'examples/queue-handlers.js')]

// Again, where something else has taken the machine meanwhile.
describe('an idle worker uses under 1 % of a core', { retry: 1, concurrent: true }, () => {
  test('on SQLite, with a thread that watches over leases', async () => {
    const url = `sqlite:${join(newDirectory(), 'queue.db')}`
    const share = await idleShare(url, module)
    assert.ok(share < shareMax, `${(share * 100).toFixed(2)} %`)
  }, 60_000)

  test('on NATS', async () => {
    await using server = await startNats()
    const share = await idleShare(server.url, module)
    assert.ok(share < shareMax, `${(share * 100).toFixed(2)} %`)
  }, 60_000)
})
