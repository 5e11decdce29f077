import { Registry } from '../../src/queue/registry.ts'
import { claim, finish } from './outcomes.ts'
import type { Served } from './served.ts'

const types = ['send_email', 'resize_image', 'sync_inventory', 'build_report']

/** What is to be found again by its id. */
export interface Scene {
  readonly queueTask: string
  readonly treeTask: string
  readonly plan: string
  readonly job: string
}

/** A store in which something of everything happens. */
export async function fill(served: Served): Promise<Scene> {
  const queueTask = await fillQueue(served)
  await fillWorkers(served)
  const treeTask = await fillTree(served)
  const plan = await fillPlans(served)
  await fillList(served)
  return { queueTask, treeTask, plan, job: await fillJobs(served) }
}

async function fillQueue({ queue, store }: Served): Promise<string> {
  const submitted = await queue.submitMany(
    Array.from({ length: 48 }, (_, at) => ({
      type: types[at % types.length] as string,
      input: { order: 4100 + at, to: `customer-${at}@example.com`, lines: [{ sku: 'A-17', n: 2 }] },
      ...(at % 11 === 7 ? { delayMs: 5_400_000 } : {}),
    })),
  )
  const ids = submitted.map(({ id }) => id)
  for (const [at, id] of ids.entries()) {
    if (at % 11 === 7 || at > 40) continue
    if (at > 36) await claim(store, id, at % 2 ? 'worker-1' : 'worker-2')
    else if (at % 9 === 4) await finish(store, id, 'fail')
    else if (at % 13 === 6) await finish(store, id, 'retry')
    else
      await finish(store, id, 'complete', { delivered: true, message_id: `<${at}@mail.example>` })
  }
  const archived = ids[0] as string
  await queue.archive(archived)
  return ids[31] as string
}

async function fillWorkers({ store, queue }: Served): Promise<void> {
  const registry = new Registry(store, () => {})
  const nowMs = await store.now()
  const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString()
  const shards = [...'0123456789abcdef']
  const common = { started_at: at(7_200_000), shards, task_types: types, concurrency: 10 }
  const { tasks } = await queue.list({ status: 'running' })
  const workers = [
    { worker_id: 'worker-1', last_heartbeat: at(4_000), tasks_completed: 18_204, tasks_failed: 31 },
    { worker_id: 'worker-2', last_heartbeat: at(9_000), tasks_completed: 17_880, tasks_failed: 12 },
    { worker_id: 'worker-3', last_heartbeat: at(300_000), tasks_completed: 411, tasks_failed: 2 },
  ]
  for (const worker of workers) {
    const running = tasks
      .filter(({ worker_id }) => worker_id === worker.worker_id)
      .map(({ id, task_type, attempt }) => ({ id, task_type, attempt, progress: '40 %' }))
    const current_task = running[0]?.id ?? null
    await registry.put({ ...common, ...worker, current_task, running }, null)
  }
}

/** Goes on for a while, so that there is something to see in the plots. */
export async function goOn({ queue, store }: Served, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const many = 1 + Math.floor(4 * (1 + Math.sin(Date.now() / 2_500)))
    const made = await queue.submitMany(
      Array.from({ length: many }, (_, at) => ({ type: types[at % 4] as string, input: { at } })),
    )
    for (const { id } of made.slice(0, 1 + Math.floor(Math.random() * many)))
      await finish(store, id, Math.random() < 0.1 ? 'fail' : 'complete')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function fillTree({ tree }: Served): Promise<string> {
  const epic = await tree.create({ title: 'Move sign-in to passkeys', type: 'epic', priority: 1 })
  const add = (title: string, more: object = {}, parent = epic.id) =>
    tree.createSubtask(parent, { title, ...more }, 'planner')
  const store = await add('Keep credentials by user', { tags: ['auth', 'storage'], priority: 1 })
  await add('Write the migration', { tags: ['storage'] }, store.id)
  const review = await add('Let old passwords expire', { tags: ['security'], type: 'feature' })
  const blocked = await add('Sign in on a borrowed computer', { type: 'bug', priority: 0 })
  await add('Describe it for users', { tags: ['docs'] })
  const done = await add('Choose a library', {})
  const body =
    'The key is made on the device, and only its public half is sent.\nKeep several for each user.'
  await tree.update(store.id, { body }, 'planner')
  await tree.claim(store.id, 'agent-7')
  await tree.claim(review.id, 'agent-2')
  await tree.complete(review.id, 'agent-2', { summary: 'They end after 90 days.' })
  await tree.claim(blocked.id, 'agent-2')
  await tree.block(blocked.id, 'agent-2', { reason: 'The design is not decided.' })
  await tree.claim(done.id, 'agent-7')
  await tree.complete(done.id, 'agent-7', { skip_review: true })
  const chores = await tree.create({ title: 'Chores', priority: 3 })
  await add('Update the licences', {}, chores.id)
  return store.id
}

async function fillPlans(served: Served): Promise<string> {
  const { plans } = served
  const told = { cmd: 'np t a' }
  const { sid } = (await plans.start(served.folder('shop'))).session
  const description = 'Checkout must work while the payment provider is away.'
  await plans.setGoal(sid, { title: 'Make checkout survive outages', description }, told)
  const titles = [
    'Queue payments',
    'Show what is pending',
    'Retry with back-off',
    'Tell the customer',
  ]
  await plans.addTasks(
    sid,
    titles.map((title) => ({ title, description: '' })),
    told,
  )
  const { tasks } = await plans.plan(sid)
  await plans.updateTasks(sid, [{ id: tasks[0]?.id as string, status: 'done' }], told)
  await plans.updateTasks(sid, [{ id: tasks[1]?.id as string, status: 'doing' }], told)
  const other = (await plans.start(served.folder('search'))).session
  await plans.setGoal(other.sid, { title: 'Index the archive', description: '' }, told)
  await plans.archive(other.sid)
  return sid
}

async function fillList({ list }: Served): Promise<void> {
  await list.add('Buy milk', ['errand', 'shopping'])
  await list.add('Call the bank about the new card', ['errand'])
  await list.add('Book the train to Vienna', ['travel'])
  const { id } = await list.add('Water the plants', ['home'])
  await list.update(id, { done: true })
}

async function fillJobs({ jobs }: Served): Promise<string> {
  const payload = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const ids: string[] = []
  for (let at = 0; at < 6; at++)
    ids.push(
      await jobs.submit({
        payload: payload({ invoice: 900 + at, pages: [1, 2] }),
        idempotencyKey: `invoice-${900 + at}`,
        maxAttempts: 1,
      }),
    )
  const [done, failed, claimed] = ids as [string, string, string]
  await jobs.claim(done, 'printer')
  await jobs.complete(done, payload({ pages: 2 }))
  await jobs.claim(failed, 'printer')
  await jobs.fail(failed, 'The printer is out of paper.')
  await jobs.claim(claimed, 'printer')
  return failed
}
