import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { checkedExport, checkup, imported } from '../../src/inventory/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { Queue } from '../../src/queue/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { storeKinds } from '../models/stores.ts'
import { temporaryFolder } from '../store/ground.ts'
import { chunksOf, everything, exportOf, type Filled, fill } from './filled.ts'

/** From the first to the last, each by an export of the one before. */
const journey = ['sqlite', 'nats', 's3 (MinIO)', 'limited(memory, 1)', 'memory']

const supplies: AsyncDisposable[] = []
const stores: Store[] = []
const exports: string[] = []
const reports: Awaited<ReturnType<typeof copy>>[] = []
let filled: Filled

async function copy(text: string, store: Store, merge = false) {
  const contents = await checkedExport(chunksOf(text))
  return imported(store, contents, chunksOf(text), { merge })
}

beforeAll(async () => {
  for (const kind of journey) {
    const supply = await storeKinds[kind]!()
    const ground = await supply.next()
    supplies.push(supply, ground)
    const store = await ground.open()
    stores.push(store)
    const text = exports.at(-1)
    if (text === undefined) filled = await fill(store)
    else reports.push(await copy(text, store))
    exports.push(await exportOf(store))
  }
})

afterAll(async () => {
  for (const each of [...stores, ...supplies.reverse()]) await each[Symbol.asyncDispose]()
  rmSync(filled.directory, { recursive: true, force: true })
})

describe('an export', () => {
  test('has documents of all five models, and begins and ends as one', () => {
    const lines = (exports[0] as string).trimEnd().split('\n')
    const { end, documents, models, sha256 } = JSON.parse(lines.at(-1) as string)
    assert.equal(end, true)
    assert.equal(documents, lines.length - 2)
    assert.deepEqual(Object.keys(models), ['list', 'plan', 'jobs', 'tree', 'queue'])
    assert.match(sha256, /^[0-9a-f]{64}$/)
    assert.deepEqual(JSON.parse(lines[0] as string), {
      format: 'holdfast-export',
      version: 1,
      store: 'test',
      exported_at: '1970-01-01T00:00:00.000Z',
    })
  })

  for (const [at, kind] of journey.entries())
    test(`of ${kind} is the same, byte for byte`, () => {
      assert.equal(exports[at], exports[0])
    })

  test('tells how many documents were written, and what no index can be made of', () => {
    const { documents } = JSON.parse((exports[0] as string).trimEnd().split('\n').at(-1) as string)
    for (const report of reports) {
      const { written, same, kept, left } = report
      assert.deepEqual({ written, same, kept }, { written: documents, same: 0, kept: 0 })
      assert.deepEqual(left, [`The task ${'0'.repeat(128)} can't be read.`])
    }
  })
})

for (const [at, kind] of journey.entries())
  describe(`what came to ${kind}`, () => {
    const store = () => stores[at] as Store

    test('is found by its indexes', async () => {
      const [errand] = await new TaskList(store()).query({ any: ['été'] })
      assert.equal(errand?.text, 'Buy milk')
      const session = await new Plans(store()).find(filled.directory)
      assert.equal(session?.sid, filled.sid)
      await using jobs = new TaskManager(store())
      const keyed = await jobs.getByIdempotencyKey('k'.repeat(300))
      assert.equal(keyed.status, 'completed')
      assert.equal((await jobs.list('claimed')).tasks.length, 1)
      const tree = new TaskTree(store())
      const { tasks } = await tree.list({ tag: ['a/b'] } as never)
      assert.equal(tasks[0]?.title, 'Release')
    })

    test('has its histories', async () => {
      const { events } = await new Plans(store()).events(filled.sid)
      assert.deepEqual(
        events.map(({ event }) => event?.type),
        ['goal_set', 'task_added', 'task_added', 'task_status_changed'],
      )
      const history = await new TaskTree(store()).history(filled.treeTask)
      const statuses = history.filter(({ field }) => field === 'status')
      assert.deepEqual(
        statuses.map(({ new_value }) => new_value),
        ['closed', 'pending_merge', 'in_progress'],
      )
    })

    test('has large inputs, and keys that stand for what they stood for', async () => {
      const queue = new Queue(store())
      const { input, status } = await queue.get(filled.queueTask, { full: true })
      assert.equal(input, filled.largeInput)
      assert.equal(status, 'completed')
      const again = await queue.submit({ type: 'large', input: 1, idempotencyKey: 'large-1' })
      assert.deepEqual(again, { id: filled.queueTask, isNew: false })
    })

    test('has no drift, but for the corrupt document', async () => {
      const bad: string[] = []
      for await (const { name, ok, detail } of checkup(store(), {}))
        if (!ok && name !== 'durability') bad.push(`${name}: ${detail}`)
      assert.deepEqual(bad, [`list.index: The task ${'0'.repeat(128)} can't be read.`])
    })
  })

test('an import makes all keys of a store anew but for what is only of the moment', async () => {
  // Registers of what is under way, and workers that announce themselves.
  const momentary = /^(coven\/meta|qo\/workers)\//
  const source = await everything(stores[0] as Store, momentary)
  const copied = await everything(stores.at(-1) as Store, momentary)
  assert.deepEqual(copied, source)
})

test('a large store goes through in bounded steps', async () => {
  await using folder = await temporaryFolder()
  await using store = await openStore(`sqlite:${folder.path('many.db')}`)
  const queue = new Queue(store)
  await queue.submitMany(
    Array.from({ length: 1_200 }, (_, at) => ({
      type: 'bulk',
      input: { at, text: 'y'.repeat(200) },
    })),
  )
  await using target = await openStore('memory:')
  const { written } = await copy(await exportOf(store), target)
  assert.equal(written, 1_200)
  assert.equal((await new Queue(target).stats()).by_status.pending, 1_200)
})
