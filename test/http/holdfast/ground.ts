import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { TaskList } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { assertLayout as assertJobs } from '../../jobs/layout.ts'
import { assertTagLists } from '../../list/layout.ts'
import { assertLayout as assertPlans } from '../../plan/layout.ts'
import { assertLayout as assertQueue } from '../../queue/layout.ts'
import { assertLayout as assertTree } from '../../tree/layout.ts'

const root = join(realpathSync(tmpdir()), `holdfast-http-${process.pid}`)

/** Directories that plans may belong to, in files of tests that {@link withDirectories}. */
export const directories = { old: join(root, 'old'), new: join(root, 'new') } as const

/** They are there before the tests of a file, and gone after them. */
export function withDirectories(): void {
  beforeAll(() => {
    for (const each of Object.values(directories)) mkdirSync(each, { recursive: true })
  })
  afterAll(() => rmSync(root, { recursive: true }))
}

/** Fails unless the indexes of all models are what their documents say. */
export async function assertAll(store: Store): Promise<void> {
  await assertTagLists(store)
  await assertPlans(store)
  await assertJobs(store)
  await assertTree(store)
  await assertQueue(store)
}

/** Something in every model. */
export async function seed(store: Store): Promise<void> {
  await new TaskList(store).add('seed')
  await new Plans(store).start(directories.old)
  await using jobs = new TaskManager(store)
  await jobs.submit({ payload: new Uint8Array() })
  await new TaskTree(store).create({ title: 'seed' }, 'ann')
  await new Queue(store).submit({ type: 'seed' })
}
