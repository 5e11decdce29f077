// doomed-jobs URL NAME ROUND [TTL_MS HOLD_MS]: submits the keys that all of a round submit, and claims, completes and fails what
// is pending, until it is killed. It holds each task for up to HOLD_MS; claims last for TTL_MS, or for ever.
import { setTimeout as sleep } from 'node:timers/promises'
import { TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'
import { forEver, step } from './doomed.js'

const [url, name, round, ttlMs, holdMs = '0'] = process.argv.slice(2) as [
  ...[url: string, name: string, round: string],
  ...[ttlMs?: string, holdMs?: string],
]
const ttl = ttlMs === undefined ? {} : { claimTtlMs: Number(ttlMs) }
const manager = new TaskManager(await openStore(url), ttl)
const encoder = new TextEncoder()
let count = 0

async function submit(): Promise<void> {
  const key = `${round} ${count++}`
  await step(
    { what: 'submit', key },
    () => manager.submit({ idempotencyKey: key, payload: encoder.encode(name) }),
    (id) => ({ id }),
  )
}

async function work(workerId: string): Promise<void> {
  const task = await step(
    { what: 'claim' },
    () => manager.claimNext(workerId),
    (claimed) => ({ id: claimed?.id, attempt: claimed?.attempts }),
  )
  if (task === null) return
  const { id, attempts: attempt, claimToken } = task
  const claim = { workerId, attempt, claimToken }
  await sleep(Math.random() * Number(holdMs))
  if (attempt === 1 && Number.parseInt(id.slice(-1), 36) % 3 === 0)
    await step({ what: 'fail', id, attempt }, () => manager.fail(id, 'not today', claim))
  else
    await step(
      { what: 'complete', id, attempt, text: name },
      () => manager.complete(id, encoder.encode(name), claim),
      // Completing again changes nothing, whoever asks: what counts is whose completion it is.
      (ended) => (ended.attempts === attempt ? {} : { outcome: 'refused' }),
    )
}

await forEver(4, (lane) => (lane % 2 === 0 ? submit() : work(`${name} ${lane}`)))
