import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { TaskError, TaskManager } from '../../src/jobs/index.ts'
import {
  type Faults,
  flaky,
  limited,
  openStore,
  type Store,
  StoreError,
} from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { altered } from '../store/altered.ts'
import { Bench, bytes, TestClock } from './kit.ts'
import { assertLayout, assertNoneMissing } from './layout.ts'

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

const step = fc.record({
  what: fc.constantFrom(
    'submit',
    'submit',
    'submitMany',
    'claimNext',
    'claimNext',
    'complete',
    'fail',
    'retry',
    'delete',
  ),
  nth: fc.nat(),
})
const clients = fc.array(fc.array(step, { minLength: 4, maxLength: 14, size: 'max' }), {
  minLength: 3,
  maxLength: 6,
  size: 'max',
})

/** What all clients were told, by which the end is judged. */
class Told {
  /** Ids by key; a key is one id until its task is deleted. */
  readonly ids = new Map<string, Set<string>>()
  /** Whose deletion was begun, and whose was acknowledged. */
  readonly deleting = new Set<string>()
  readonly deleted = new Set<string>()
  readonly claims: string[] = []
  readonly completed = new Set<string>()

  submitted(key: string, id: string): void {
    this.ids.set(key, (this.ids.get(key) ?? new Set()).add(id))
  }

  pick(nth: number): string {
    const all = [...this.ids.values()].flatMap((ids) => [...ids])
    return all[nth % Math.max(1, all.length)] ?? 'nobody'
  }
}

interface Client {
  readonly manager: TaskManager
  readonly name: string
  readonly told: Told
}

const keyOf = (nth: number): string => `key-${nth % 5}`

async function act({ manager, name, told }: Client, what: string, nth: number): Promise<void> {
  const id = told.pick(nth)
  const submission = (key: string) => ({
    idempotencyKey: key,
    payload: bytes(name),
    maxAttempts: 3,
  })
  if (what === 'submit') told.submitted(keyOf(nth), await manager.submit(submission(keyOf(nth))))
  if (what === 'submitMany') {
    const keys = [keyOf(nth), keyOf(nth + 1), keyOf(nth + 2)]
    const ids = await manager.submitMany(keys.map(submission))
    for (const [at, key] of keys.entries()) told.submitted(key, ids[at] as string)
  }
  if (what === 'claimNext') {
    const task = await manager.claimNext(name)
    if (task) told.claims.push(`${task.id} ${task.attempts}`)
  }
  if (what === 'complete') {
    const { status, claimedBy } = await manager.complete(id, bytes(name))
    assert.equal(status, 'completed')
    assert.ok(claimedBy)
    told.completed.add(id)
  }
  if (what === 'fail') await manager.fail(id, name)
  if (what === 'retry') await manager.retry(id, { attempts: 1 })
  if (what === 'delete') {
    told.deleting.add(id)
    await manager.delete(id)
    told.deleted.add(id)
  }
}

/** Refusals are what a race may bring; so are answers that were lost on purpose. */
function expected(error: unknown): void {
  const isLost = error instanceof StoreError && /unknown_outcome|unavailable/.test(error.code)
  if (!(error instanceof TaskError || isLost)) throw error
  if (error instanceof TaskError)
    assert.ok(!['CORRUPT_TASK', 'TASK_EXISTS'].includes(error.code), String(error))
}

async function race(
  store: Store,
  plans: readonly (readonly { what: string; nth: number }[])[],
  faults: Faults,
): Promise<Told> {
  const told = new Told()
  await Promise.all(
    plans.map(async (steps, at) => {
      const manager = new TaskManager(flaky(store, { ...faults, seed: `${faults.seed} ${at}` }))
      const client = { manager, name: `client-${at}`, told }
      for (const { what, nth } of steps) await act(client, what, nth).catch(expected)
    }),
  )
  return told
}

/** `hasLost` where answers were lost: then a deletion may have happened that nobody was told of. */
async function assertKept(store: Store, told: Told, hasLost: boolean): Promise<void> {
  const tasks = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<TaskManager['list']>> = await new TaskManager(store).list(
      undefined,
      { cursor },
    )
    tasks.push(...page.tasks)
    cursor = page.cursor
  } while (cursor !== null)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const keys = tasks.filter(({ id }) => !(hasLost && told.deleting.has(id)))
  assert.equal(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size, keys.length)
  for (const [key, ids] of told.ids)
    for (const id of ids) {
      const isThere = byId.get(id)?.idempotencyKey === key
      assert.ok(isThere || told.deleted.has(id) || hasLost, `${key}: ${id} is lost`)
    }
  for (const id of told.completed)
    assert.ok(!byId.has(id) || byId.get(id)?.status === 'completed', `${id} is not completed`)
  assert.equal(new Set(told.claims).size, told.claims.length, 'an attempt was claimed twice')
}

describe('many clients at once: a key is one task, an attempt one claim, nothing acknowledged is lost', () => {
  for (const [kind, open] of Object.entries(kinds)) {
    test(`on ${kind}, and the indexes are exact`, async () => {
      await fc.assert(
        fc.asyncProperty(clients, fc.nat(), async (plans, seed) => {
          await using store = await open()
          const told = await race(store, plans, { delayMsMax: 0.5, seed })
          await assertKept(store, told, false)
          await assertLayout(store)
        }),
        { numRuns: sized(12, 25) },
      )
    })

    test(`on ${kind}, with lost requests and answers, and repair makes the indexes exact`, async () => {
      await fc.assert(
        fc.asyncProperty(clients, fc.nat(), async (plans, seed) => {
          await using store = await open()
          const faults = { delayMsMax: 0.5, seed, loseRequests: 0.05, loseAnswers: 0.1 }
          const told = await race(store, plans, faults)
          await assertNoneMissing(store, told.deleting)
          await new TaskManager(store).repair({ graceMs: 0 })
          await assertKept(store, told, true)
          await assertLayout(store, told.deleting)
        }),
        { numRuns: sized(12, 25) },
      )
    })
  }
})

test('a list of claimed tasks has one that is claimed again while it reads, and has it once', async () => {
  await using inner = await openStore('memory:')
  const clock = new TestClock()
  const other = new Bench(inner, { now: clock.now })
  const id = await other.claimed()
  let isDue = true
  const store = altered(inner, {
    get: async (key) => {
      if (isDue && key === `tasks/task/${id}`) {
        isDue = false
        clock.ms += 1_000
        await other.manager.retry(id)
        await other.manager.claim(id, 'worker-b')
      }
      return inner.get(key)
    },
  })
  const { tasks } = await new TaskManager(store).list('claimed')
  assert.deepEqual(
    tasks.map(({ claimedBy }) => claimedBy),
    ['worker-b'],
  )
})
