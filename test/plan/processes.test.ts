import assert from 'node:assert/strict'
import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { assertLayout } from './layout.ts'

const processes = sized(3, 16, 8)

interface Race {
  readonly store: RecordedStore
  readonly url: string
  readonly folder: string
  readonly rounds: number
}

const clientsOf = ({ url, folder, rounds }: Race): Child[] =>
  Array.from(
    { length: processes },
    (_, at) => new Child('plan-client', [url, folder, String(rounds), `client ${at}`]),
  )

/** How many events a client says it made, once it is through. */
async function eventsOf(client: Child): Promise<number> {
  for (;;) {
    const message = await client.message<number | { events: number }>()
    if (typeof message === 'object') return message.events
  }
}

/** How many events there are after all have gone; everything that is stored is as the log says. */
async function totalOf(race: Race): Promise<number> {
  await using store = await openStore(race.url)
  const session = await new Plans(store).find(race.folder)
  const { total } = await new Plans(store).events(session?.sid as string)
  await assertLayout(store)
  return total
}

async function untilDone(race: Race): Promise<void> {
  const clients = clientsOf(race)
  const record = recorded({
    what: 'plan: clients change one session',
    store: race.store,
    promises: ['durable', 'history'],
  })
  try {
    await Child.startTogether(clients)
    const counts = await Promise.all(clients.map(eventsOf))
    const operations = counts.reduce((sum, count) => sum + count)
    const total = await totalOf(race)
    record({ faults: 0, operations, lost: operations - total })
    assert.equal(total, operations)
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]()
  }
}

/** Each is killed at a moment of its own; two are left to finish. */
async function withKills(race: Race): Promise<void> {
  const clients = clientsOf(race)
  const record = recorded({
    what: 'plan: clients of one session killed',
    store: race.store,
    promises: ['durable', 'history'],
  })
  const [first, second, ...doomed] = clients as [Child, Child, ...Child[]]
  try {
    await Child.startTogether(clients)
    const done = Promise.all([eventsOf(first), eventsOf(second)])
    await Promise.all(
      doomed.map(async (client) => {
        await client.message()
        await sleep(Math.random() * sized(200, 400))
        await client.kill()
      }),
    )
    const counts = await done
    const operations = counts[0] + counts[1]
    const lost = Math.max(0, operations - (await totalOf(race)))
    record({ killRounds: 1, faults: doomed.length, operations, lost })
    assert.equal(lost, 0)
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]()
  }
}

async function inFolder(body: (path: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder()
  await mkdir(temporary.path('work'))
  await body(realpathSync(temporary.path('work')))
}

describe(`${processes} processes add and update in one session: numbers 1 to n, documents as the log says`, () => {
  for (const [name, run] of Object.entries({
    'all finish': untilDone,
    'kill -9 at random': withKills,
  })) {
    test(`on SQLite, ${name}`, () =>
      inFolder((folder) =>
        run({ store: 'SQLite', url: `sqlite:${folder}/plans.db`, folder, rounds: sized(4, 12) }),
      ))

    test(`on NATS, ${name}`, () =>
      inFolder(async (folder) => {
        await using server = await startNats()
        await run({ store: 'NATS', url: server.url, folder, rounds: sized(3, 6) })
      }))
  }
})
