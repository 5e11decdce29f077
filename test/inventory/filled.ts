import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exported } from '../../src/inventory/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { Queue, Worker } from '../../src/queue/index.ts'
import { create, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'

/** What the tests look for again. */
export interface Filled {
  readonly sid: string
  readonly directory: string
  readonly treeTask: string
  readonly queueTask: string
  readonly largeInput: string
}

/** Puts something of every model into a store: changed, finished, with histories and keys, and one corrupt document. */
export async function fill(store: Store): Promise<Filled> {
  await fillList(store)
  const { sid, directory } = await fillPlan(store)
  await fillJobs(store)
  const treeTask = await fillTree(store)
  return { sid, directory, treeTask, ...(await fillQueue(store)) }
}

async function fillList(store: Store): Promise<void> {
  const list = new TaskList(store)
  const { id } = await list.add('Buy milk', ['errand', 'été'])
  await list.add('Ship it 🚢', ['work'])
  await list.update(id, { done: true })
  const corrupt = Uint8Array.of(0x7b, 0xff, 0xfe, 0x00)
  await store.commit([create(`utask_tasks/${'0'.repeat(128)}`, corrupt)])
}

async function fillPlan(store: Store) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-inventory-')))
  const plans = new Plans(store)
  const told = { cmd: 'test' }
  const { session: old } = await plans.start(directory)
  await plans.archive(old.sid)
  const { session } = await plans.start(directory)
  const { sid } = session
  await plans.setGoal(sid, { title: 'Ship', description: 'All of it' }, told)
  await plans.addTasks(
    sid,
    [
      { title: 'One', description: '' },
      { title: 'Two', description: 'With\nlines' },
    ],
    told,
  )
  const { tasks } = await plans.plan(sid)
  await plans.updateTasks(sid, [{ id: tasks[0]!.id, status: 'completed' }], told)
  return { sid, directory }
}

async function fillJobs(store: Store): Promise<void> {
  await using jobs = new TaskManager(store)
  await jobs.submit({ payload: new TextEncoder().encode('a'), idempotencyKey: 'order/7' })
  const id = await jobs.submit({ payload: new Uint8Array(0), idempotencyKey: 'k'.repeat(300) })
  await jobs.claim(id, 'worker-1')
  await jobs.complete(id, new TextEncoder().encode('done'))
  await jobs.claimNext('worker-2')
}

async function fillTree(store: Store): Promise<string> {
  const tree = new TaskTree(store)
  const root = await tree.create({ title: 'Release', type: 'epic', tags: ['git', 'a/b'] }, 'ann')
  const { id } = await tree.create({ title: 'Tag it', parent_id: root.id }, 'ann')
  await tree.claim(id, 'agent-7')
  await tree.complete(id, 'agent-7', { summary: 'tagged' })
  await tree.approve(id, 'ann')
  return id
}

async function fillQueue(store: Store) {
  const queue = new Queue(store)
  const largeInput = 'x'.repeat(100_000)
  const { id } = await queue.submit({ type: 'large', input: largeInput, idempotencyKey: 'large-1' })
  const { id: cancelled } = await queue.submit({ type: 'mail', input: { to: 'a' } })
  await queue.cancel(cancelled)
  await queue.submit({ type: 'nobody', input: null })
  const worker = new Worker(store, { handlers: { large: () => 'ok' }, monitor: false })
  await worker.start()
  try {
    await queue.wait(id)
  } finally {
    await worker.stop()
    await queue.close()
  }
  return { queueTask: id, largeInput }
}

/** An export as one text. */
export async function exportOf(store: Store, kind = 'test'): Promise<string> {
  let text = ''
  for await (const chunk of exported(store, { kind, at: 0 })) text += chunk
  return text
}

/** A text as an import gets it, in pieces that cut through characters. */
export async function* chunksOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const size = Math.max(1, Math.ceil(bytes.length / 50))
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Every key of a store with its value, but for those of a prefix. */
export async function everything(store: Store, without: RegExp): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { key, value } of store.scan(''))
    if (!without.test(key)) found.set(key, Buffer.from(value).toString('base64'))
  return found
}
