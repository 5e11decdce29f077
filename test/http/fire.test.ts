import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { type HistoryEntry, type Task, TaskTree } from '../../src/tree/index.ts'
import { Child } from '../child.ts'
import { startNats } from '../servers/nats.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { assertLayout } from '../tree/layout.ts'
import { Served } from './process.ts'

const count = sized(160, 5_000)
const httpAgents = 12
const libraryAgents = 4
/** How many of the claims are given back. */
const releasedShare = 0.1

/** So many tasks, in families of ten. */
async function plant(store: Store): Promise<void> {
  const tree = new TaskTree(store)
  for (let family = 0; family < count / 10; family++) {
    const { id } = await tree.create({ title: `family ${family}`, priority: family % 5 })
    await Promise.all(
      Array.from({ length: 9 }, (_, n) => tree.create({ title: `child ${n}`, parent_id: id })),
    )
  }
}

/** What agents were told that they did, by task: `claimed ann`, `closed ann`. */
type Deeds = Map<string, string[]>

const noted = (deeds: Deeds, id: string, deed: string): void => {
  deeds.set(id, [...(deeds.get(id) ?? []), deed])
}

/** An agent that knows nothing but the address of a server. */
async function work(url: string, name: string, deeds: Deeds): Promise<void> {
  const headers = { 'X-Agent-ID': name, 'Content-Type': 'application/json' }
  const post = async (path: string, body = '{}'): Promise<number> => {
    for (;;) {
      const response = await fetch(`${url}/api/tasks/${path}`, { method: 'POST', headers, body })
      const { details } = (await response.json()) as { details?: { outcome?: string } }
      // Too many want the file at once: nothing has happened, as the answer says.
      if (response.status !== 503) return response.status
      assert.equal(details?.outcome, 'unavailable')
    }
  }
  for (;;) {
    const list = await fetch(`${url}/api/tasks/ready?limit=20`)
    const ready = (await list.json()) as Task[]
    if (list.status === 503) continue
    const task = ready[Math.floor(Math.random() * ready.length)]
    if (!task) return
    const claim = await post(`${task.id}/claim`)
    assert.ok([200, 409].includes(claim), `claim answered ${claim}`)
    if (claim !== 200) continue
    noted(deeds, task.id, `in_progress ${name}`)
    const isGivenBack = Math.random() < releasedShare
    const end = isGivenBack
      ? await post(`${task.id}/release`)
      : await post(`${task.id}/complete`, '{"skip_review":true}')
    assert.equal(end, 200)
    noted(deeds, task.id, `${isGivenBack ? 'open' : 'closed'} ${name}`)
  }
}

/** An agent of the library, in a process of its own. */
async function library(url: string, name: string, deeds: Deeds): Promise<void> {
  await using child = new Child('tree-agent', [url, name])
  assert.equal(await child.message(), 'here')
  const { done } = await child.message<{ done: string[] }>()
  for (const id of done)
    for (const move of ['in_progress', 'closed']) noted(deeds, id, `${move} ${name}`)
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

async function race(url: string): Promise<void> {
  await using folder = await temporaryFolder()
  await using store = await openStore(url)
  await plant(store)
  const place = { cwd: folder.path('') }
  await using one = await Served.start(['--store', url], place)
  await using two = await Served.start(['--store', url], place)
  const deeds: Deeds = new Map()
  const servers = [one.url, two.url]
  await Promise.all([
    ...Array.from({ length: httpAgents }, (_, n) =>
      work(servers[n % 2] as string, `http-${n}`, deeds),
    ),
    ...Array.from({ length: libraryAgents }, (_, n) => library(url, `library-${n}`, deeds)),
  ])
  const tree = new TaskTree(store)
  let offset = 0
  for (let total = 1; offset < total; ) {
    const page = await tree.list({ limit: 1000, offset })
    for (const { id, status } of page.tasks) {
      assert.equal(status, 'closed')
      const moves = told(await tree.history(id, { field: 'status' }))
      assertInTurn(id, moves)
      assert.deepEqual([...moves].sort(), (deeds.get(id) ?? []).sort(), id)
    }
    offset += page.tasks.length
    total = page.total
  }
  assert.equal(offset, count)
  assert.doesNotMatch(one.stderr + two.stderr, /INTERNAL_ERROR/)
  await assertLayout(store)
}

describe(`16 agents claim from one tree of ${count} tasks, through two servers and the library`, () => {
  test('on one SQLite file: each task by one at a time, the history complete', async () => {
    await using folder = await temporaryFolder()
    await race(`sqlite:${folder.path('tasks.db')}`)
  }, 1_200_000)

  test('on one NATS server', async () => {
    await using server = await startNats()
    await race(server.url)
  }, 1_200_000)
})
