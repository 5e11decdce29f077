import { Repository } from '../../src/queue/repository.ts'
import type { Json } from '../../src/queue/task.ts'
import type { Store } from '../../src/store/index.ts'

const worker = 'worker-1'
const error = '550 The mail server refused the address: no such user'

/** Takes a task as a worker would. */
export async function claim(store: Store, id: string, workerId = worker): Promise<string> {
  const leaseId = crypto.randomUUID()
  const repository = repositoryOf(store)
  const { available_at } = await repository.get(id)
  // The clock of a bucket tells seconds only, and may still be before the submission.
  const nowMs = Math.max(await store.now(), Date.parse(available_at))
  await repository.change(id, ['claim', { workerId, leaseId, nowMs }])
  return leaseId
}

/** Takes a task, and ends this attempt at it. */
export async function finish(
  store: Store,
  id: string,
  outcome: 'complete' | 'fail' | 'retry',
  output: Json = { sent: true },
): Promise<void> {
  const leaseId = await claim(store, id)
  const nowMs = await store.now()
  await repositoryOf(store).change(
    id,
    outcome === 'complete'
      ? ['complete', { leaseId, nowMs, output }]
      : ['fail', { leaseId, nowMs, error, random: 0.5, isPermanent: outcome === 'fail' }],
  )
}

/** Goes on with a task as a worker would. */
export async function renew(store: Store, id: string, leaseId: string): Promise<void> {
  const untilMs = (await store.now()) + 600_000
  await repositoryOf(store).change(id, ['renew', { leaseId, untilMs }])
}

const repositoryOf = (store: Store): Repository => new Repository(store, () => {})
