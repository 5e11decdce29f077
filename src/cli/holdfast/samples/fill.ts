import { TaskManager } from '../../../jobs/internal.ts'
import { TaskList } from '../../../list/internal.ts'
import { Plans } from '../../../plan/internal.ts'
import { Queue } from '../../../queue/internal.ts'
import type { Store } from '../../../store/internal.ts'
import { TaskTree } from '../../../tree/internal.ts'
import { sampleTasks } from './worker.ts'

/** Who has done what is done already. */
const agent = 'sample-agent'

/** A few samples of every model, in as many states as a look at the page should show. */
export async function fillWithSamples(store: Store, directory: string): Promise<void> {
  await fillList(store)
  await fillPlan(store, directory)
  await fillJobs(store)
  await fillTree(store)
  await fillQueue(store)
}

async function fillList(store: Store): Promise<void> {
  const list = new TaskList(store)
  await list.add('Buy milk', ['errand', 'shopping'])
  await list.add('Send the invoice', ['work', 'urgent'])
  const { id } = await list.add('Call home', ['family'])
  await list.update(id, { done: true })
}

/** The plan of the directory that the server is started in, so that `np` finds it there. */
async function fillPlan(store: Store, directory: string): Promise<void> {
  const plans = new Plans(store)
  const told = { cmd: 'holdfast serve --samples' }
  const { session } = await plans.start(directory)
  const goal = { title: 'Get to know Holdfast', description: 'Until all models have been seen.' }
  await plans.setGoal(session.sid, goal, told)
  const titles = ['Start it', 'Look at the page', 'Add a task from a terminal']
  await plans.addTasks(
    session.sid,
    titles.map((title) => ({ title })),
    told,
  )
  const { tasks } = await plans.plan(session.sid)
  const statuses = ['completed', 'in_progress']
  const changes = tasks.slice(0, 2).map(({ id }, at) => ({ id, status: statuses[at] }))
  await plans.updateTasks(session.sid, changes, told)
}

async function fillJobs(store: Store): Promise<void> {
  await using jobs = new TaskManager(store)
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const order = (nth: number) => ({
    idempotencyKey: `sample-order-${nth}`,
    payload: bytes({ order: nth }),
    maxAttempts: 1,
  })
  const [shipped = '', lost = ''] = await jobs.submitMany([order(1), order(2), order(3)])
  await jobs.claim(shipped, agent)
  await jobs.complete(shipped, bytes({ shipped: true }))
  await jobs.claim(lost, agent)
  await jobs.fail(lost, new Error('There is no such address.'))
}

async function fillTree(store: Store): Promise<void> {
  const tree = new TaskTree(store)
  const { id: parent_id } = await tree.create({ title: 'Release 1.0', type: 'epic', priority: 1 })
  const part = async (title: string, tags: string[]) =>
    (await tree.create({ title, parent_id, tags })).id
  const written = await part('Write the changelog', ['docs'])
  const tagged = await part('Tag the release', ['git'])
  await part('Announce it', ['docs'])
  await tree.claim(written, agent)
  await tree.complete(written, agent, { summary: 'Every change has a line.', skip_review: true })
  await tree.claim(tagged, agent)
}

async function fillQueue(store: Store): Promise<void> {
  const queue = new Queue(store)
  try {
    for (const task of sampleTasks) await queue.submit(task)
  } finally {
    await queue.close()
  }
}
