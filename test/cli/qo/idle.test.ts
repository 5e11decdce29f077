import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { measured } from '../../rounds.ts'
import { startNats } from '../../servers/nats.ts'
import { isSoak, sized } from '../../size.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

const idleMs = sized(20_000, 60_000)
const shareMax = 0.01
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Seconds of a core that a process has used so far, all its threads together. */
function usedSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** An idle worker uses hardly any share of a core, once it has settled. What others use does not count. */
async function assertIdle(url: string, handlers: readonly string[]): Promise<void> {
  const desk = new Desk(url, newDirectory())
  await desk.submit('-t', 'delayed', '--delay', '1h')
  await using worker = await Running.start(['worker', ...handlers], { HOLDFAST_STORE: url })
  await sleep(5_000)
  const pid = worker.process.pid as number
  const share = await measured(
    async () => {
      const before = usedSeconds(pid)
      await sleep(idleMs)
      return (usedSeconds(pid) - before) / (idleMs / 1000)
    },
    (share) => share < shareMax,
  )
  if (isSoak)
    process.stdout.write(`${url.split(':')[0]}: ${(100 * share).toFixed(2)} % of a core\n`)
}

const module = ['--handlers', join(process.cwd(), 'examples/queue-handlers.js')]

describe('an idle worker uses under 1 % of a core', { concurrent: true }, () => {
  test('on SQLite, with a thread that watches over leases', async () => {
    const url = `sqlite:${join(newDirectory(), 'queue.db')}`
    await assertIdle(url, module)
  })

  test('on NATS', async () => {
    await using server = await startNats()
    await assertIdle(server.url, module)
  })
})
