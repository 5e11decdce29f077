import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Client, holdfastClient, type Page } from '../../src/client/index.ts'
import { type Job, operations as jobs } from '../../src/jobs/operations.ts'
import { operations as list } from '../../src/list/operations.ts'
import { operations as plan, type ShownEvent } from '../../src/plan/operations.ts'
import { operations as queue } from '../../src/queue/operations.ts'
import type { Task as TreeTask } from '../../src/tree/index.ts'
import { operations as tree } from '../../src/tree/operations.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(same: T): boolean => same

type Answer<F extends (...given: never[]) => unknown> = Awaited<ReturnType<F>>

/** Never run: it compiles, or `npm test` fails. */
async function compiles({ jobs, list, plan, queue, tree }: Client): Promise<void> {
  is<Same<Answer<typeof jobs.get>, Job>>(true)
  is<Same<Answer<typeof jobs.list>, Page<Job>>>(true)
  is<Same<Answer<typeof jobs.claimNext>, Job | null>>(true)
  is<Same<Answer<typeof jobs.delete>, void>>(true)
  is<Same<Answer<typeof plan.events>, Page<ShownEvent>>>(true)
  is<Same<Answer<typeof tree.claim>, TreeTask>>(true)
  for await (const { status } of jobs.list.all()) is<Same<typeof status, Job['status']>>(true)
  const { results } = await tree.bulk({ action: 'close', task_ids: [] })
  is<Same<(typeof results)[number]['success'], boolean>>(true)
  await jobs.list({ status: undefined, limit: 3 })
  await queue.submit({ type: 'mail', max_retries: 3 }, { timeoutMs: 5 })
  await plan.updateTask({ sid: 's', id: 'i' }, { ifMatch: '*' })
  await tree.claim({ id: 'x' })
  // @ts-expect-error: an id is needed.
  await jobs.get()
  // @ts-expect-error: there is no such status.
  await jobs.list({ status: 'open' })
  // @ts-expect-error: there is no such input.
  await jobs.submit({ payload: 1, key: 'k' })
  // @ts-expect-error: a number is meant.
  await queue.submit({ type: 'mail', max_retries: '3' })
  // @ts-expect-error: it takes no state.
  await plan.setGoal({ sid: 's', title: 't' }, { ifMatch: '*' })
  // @ts-expect-error: nor does a read.
  await list.get({ id: 'x' }, { ifMatch: '*' })
  // @ts-expect-error: one task is no list.
  list.get.all({ id: 'x' })
  // @ts-expect-error: it is always flat.
  await tree.subtree({ id: 'x', flat: false })
}

test('a method for each row of each table', () => {
  const client = holdfastClient({ url: 'http://127.0.0.1:1' })
  const tables = { jobs, list, plan, queue, tree: Object.assign({}, ...Object.values(tree)) }
  for (const [name, table] of Object.entries(tables))
    assert.deepEqual(Object.keys(client[name as keyof typeof tables]), Object.keys(table))
  assert.ok(compiles)
})
