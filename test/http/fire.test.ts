import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { type HistoryEntry, TaskTree } from '../../src/tree/index.ts'
import { startNats } from '../servers/nats.ts'
import { startMinio } from '../servers/s3.ts'
import { isSoak, sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { s3Bucket } from '../store/s3/ground.ts'
import { assertLayout } from '../tree/layout.ts'
import { Deeds, httpAgent, libraryAgent, programAgent } from './agents.ts'
import { Served } from './process.ts'

const count = sized(20, 5_000)
/** There each claim is dozens of requests. */
const countOnS3 = 200
const agents = isSoak ? { http: 10, program: 4, library: 2 } : { http: 4, program: 1, library: 1 }
const agentCount = Object.values(agents).reduce((sum, each) => sum + each)
const msMax = sized(1_200_000, 3_600_000)

/** So many tasks, in families of ten. */
async function plant(store: Store, count: number): Promise<void> {
  const tree = new TaskTree(store)
  for (let family = 0; family < count / 10; family++) {
    const { id } = await tree.create({ title: `family ${family}`, priority: family % 5 })
    await Promise.all(
      Array.from({ length: 9 }, (_, n) => tree.create({ title: `child ${n}`, parent_id: id })),
    )
  }
}

/** What the history tells, the oldest first. */
const told = (history: readonly HistoryEntry[]): string[] =>
  history.map(({ new_value, changed_by }) => `${new_value} ${changed_by}`).reverse()

/** One at a time: who took it is who gave it back or closed it, before anybody else took it. */
function assertInTurn(id: string, moves: readonly string[]): void {
  assert.equal(moves.length % 2, 0, `${id}: ${moves}`)
  for (let at = 0; at < moves.length; at += 2) {
    const [taken, by] = (moves[at] as string).split(' ')
    const [left, byToo] = (moves[at + 1] as string).split(' ')
    assert.equal(taken, 'in_progress', `${id}: ${moves}`)
    assert.equal(by, byToo, `${id}: ${moves}`)
    assert.equal(left, at + 2 === moves.length ? 'closed' : 'open', `${id}: ${moves}`)
  }
}

const several = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** Starts agents, which go on in `working`; returns when each has its first task. */
async function begun(
  count: number,
  working: Promise<void>[],
  start: (n: number, onFirst: () => void) => Promise<void>,
): Promise<void> {
  const first = several(count, (n) => {
    return new Promise<void>((resolve, reject) => {
      const agent = start(n, resolve)
      agent.catch(reject)
      working.push(agent)
    })
  })
  await Promise.all(first)
}

/** All agents at once, until nothing is ready. Those who are slower have a task each before the others begin. */
async function run(url: string, servers: readonly string[], cwd: string): Promise<Deeds> {
  const deeds = new Deeds()
  const working: Promise<void>[] = []
  await begun(agents.program, working, (n, onFirst) =>
    programAgent({ url, cwd }, `program-${n}`, deeds, onFirst),
  )
  await begun(agents.http, working, (n, onFirst) =>
    httpAgent(servers[n % 2] as string, `http-${n}`, deeds, onFirst),
  )
  working.push(...several(agents.library, (n) => libraryAgent(url, `library-${n}`, deeds)))
  await Promise.all(working)
  return deeds
}

async function race(url: string, count: number): Promise<void> {
  await using folder = await temporaryFolder()
  await using store = await openStore(url)
  await plant(store, count)
  const place = { cwd: folder.path(''), env: process.env }
  await using one = await Served.start(['--store', url], place)
  await using two = await Served.start(['--store', url], place)
  const start = performance.now()
  const deeds = await run(url, [one.url, two.url], place.cwd)
  const seconds = (performance.now() - start) / 1000
  const tree = new TaskTree(store)
  let offset = 0
  for (let total = 1; offset < total; ) {
    const page = await tree.list({ limit: 1000, offset })
    for (const { id, status } of page.tasks) {
      assert.equal(status, 'closed')
      const moves = told(await tree.history(id, { field: 'status' }))
      assertInTurn(id, moves)
      assert.deepEqual([...moves].sort(), [...deeds.of(id)].sort(), id)
    }
    offset += page.tasks.length
    total = page.total
  }
  assert.equal(offset, count)
  const closed = Object.keys(agents).map((kind) => `${deeds.closedBy(kind)} by ${kind}`)
  if (isSoak)
    process.stdout.write(`${count} tasks in ${seconds.toFixed(1)} s: ${closed.join(', ')}\n`)
  assert.ok(deeds.closedBy('http') > 0)
  assert.doesNotMatch(one.stderr + two.stderr, /INTERNAL_ERROR/)
  await assertLayout(store)
}

describe(`${agentCount} agents claim from one tree of ${count} tasks, through two servers, the program and the library`, () => {
  test(
    'on one SQLite file: each task by one at a time, the history complete',
    async () => {
      await using folder = await temporaryFolder()
      await race(`sqlite:${folder.path('tasks.db')}`, count)
    },
    msMax,
  )

  test(
    'on one NATS server',
    async () => {
      await using server = await startNats()
      await race(server.url, count)
    },
    msMax,
  )

  if (isSoak)
    test(
      `on one S3 bucket, ${countOnS3} tasks`,
      async () => {
        await using server = await startMinio()
        const { url } = await s3Bucket(Promise.resolve(server.account))
        await race(url('fire', { probe: 'remembered' }), countOnS3)
      },
      msMax,
    )
})
