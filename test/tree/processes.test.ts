import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { Child } from '../child.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { assertLayout } from './layout.ts'

const agents = sized(3, 16, 8)

/** What an agent finished, once it is through. */
const doneBy = async (child: Child): Promise<string[]> =>
  (await child.message<{ done: string[] }>()).done

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

/** Every task was claimed and finished once, by the agent that says so; the history tells just that. */
async function assertEachOnce(store: Store, finished: ReadonlyMap<string, string>): Promise<void> {
  const tree = new TaskTree(store)
  const { tasks, total } = await tree.list({ limit: 1000 })
  assert.equal(total, tasks.length)
  for (const { id, status, claimed_by, tags } of tasks) {
    assert.deepEqual([status, claimed_by, tags], ['closed', finished.get(id), [claimed_by]])
    const statuses = (await tree.history(id, { field: 'status' })).map((entry) => entry.new_value)
    assert.deepEqual(statuses, ['closed', 'in_progress'])
  }
  assert.equal(finished.size, total)
  await assertLayout(store)
}

async function race(name: RecordedStore, url: string, count: number): Promise<void> {
  const record = recorded({
    what: 'tree: agents race for the same tasks',
    store: name,
    promises: ['one holder', 'history'],
  })
  await using store = await openStore(url)
  await plant(store, count)
  const names = Array.from({ length: agents }, (_, at) => `agent-${at}`)
  const children = names.map((name) => new Child('tree-agent', [url, name]))
  try {
    await Child.startTogether(children)
    const told = await Promise.all(children.map(doneBy))
    const all = told.flatMap((done, at) => done.map((id) => [id, names[at] as string] as const))
    const doubles = all.length - new Map(all).size
    record({ faults: 0, operations: all.length, doubles })
    assert.equal(doubles, 0, 'no task was finished twice')
    await assertEachOnce(store, new Map(all))
  } finally {
    for (const child of children) await child[Symbol.asyncDispose]()
  }
}

/** Some agents are killed; once the claims are stale, the work goes on and ends. */
async function raceWithKills(url: string): Promise<void> {
  await using store = await openStore(url)
  await plant(store, sized(60, 200))
  const children = Array.from(
    { length: sized(4, 6) },
    (_, at) => new Child('tree-agent', [url, `agent-${at}`]),
  )
  const [survivor, ...doomed] = children as [Child, ...Child[]]
  try {
    await Child.startTogether(children)
    await Promise.all(
      doomed.map(async (child) => {
        await sleep(Math.random() * 150)
        await child.kill()
      }),
    )
    await doneBy(survivor)
    const tree = new TaskTree(store, { claimTimeoutMs: 1 })
    // Longer than the timeout of claims.
    await sleep(5)
    const { released } = await tree.maintain()
    assert.ok(released.length <= doomed.length)
    await using last = new Child('tree-agent', [url, 'last'])
    await Child.startTogether([last])
    await doneBy(last)
    const { tasks } = await tree.list({ limit: 1000 })
    assert.ok(tasks.every(({ status }) => status === 'closed'))
    for (const { id, claimed_by } of tasks) {
      const statuses = await tree.history(id, { field: 'status' })
      assert.equal(statuses.filter(({ new_value }) => new_value === 'closed').length, 1)
      assert.equal(statuses[0]?.changed_by, claimed_by)
    }
    await assertLayout(store)
  } finally {
    for (const child of children) await child[Symbol.asyncDispose]()
  }
}

describe(`${agents} agents claim from one tree: each task by exactly one, the history complete`, () => {
  test('as processes on one SQLite file', async () => {
    await using folder = await temporaryFolder()
    await race('SQLite', `sqlite:${folder.path('tasks.db')}`, sized(20, 400))
  })

  test('as processes on one NATS server', async () => {
    await using server = await startNats()
    await race('NATS', server.url, sized(20, 200))
  })

  test('in one process, as openers of their own', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('tasks.db')}`
    await using store = await openStore(url)
    await plant(store, sized(20, 300))
    const finished = new Map<string, string>()
    await Promise.all(
      Array.from({ length: agents }, async (_, at) => {
        await using own = await openStore(url)
        const [tree, name] = [new TaskTree(own), `agent-${at}`]
        for (;;) {
          const [task] = (await tree.ready({ limit: 1, offset: at % 4 })).tasks
          const [first] = task ? [task] : (await tree.ready({ limit: 1 })).tasks
          if (!first) return
          const claimed = await tree.claim(first.id, name, { tags: [name] }).catch(() => null)
          if (!claimed) continue
          await tree.complete(first.id, name, { skip_review: true })
          finished.set(first.id, name)
        }
      }),
    )
    await assertEachOnce(store, finished)
  })

  test('kill -9 of some: stale claims return, nothing else changes', async () => {
    await using folder = await temporaryFolder()
    await raceWithKills(`sqlite:${folder.path('tasks.db')}`)
  })
})
