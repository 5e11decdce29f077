import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../../src/http/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { leastHeldMs } from '../../event-loop.ts'
import { filled } from '../../list/planted.ts'
import { sized } from '../../size.ts'
import { servedAll } from './served.ts'

/** No request may keep others waiting longer than this. */
const heldMsMax = 50
const count = sized(20_000, 50_000)
const atOnce = 250
const tag = 'tag0'
const cmd = 'np t a'

describe(`no request holds the event loop, with ${count} tasks in a list and in a plan`, () => {
  let store: Store
  let serving: Serving
  let sid: string
  beforeAll(async () => {
    store = await filled(count, 10)
    const plans = new Plans(store)
    sid = (await plans.start('/nowhere/much')).session.sid
    await plans.setGoal(sid, { title: 'Much', description: '' }, { cmd })
    for (let at = 0; at < count; at += atOnce) {
      const nth = (n: number) => ({ title: `Task ${at + n}`, description: 'Long. '.repeat(20) })
      await plans.addTasks(
        sid,
        Array.from({ length: atOnce }, (_, n) => nth(n)),
        { cmd },
      )
    }
    serving = await servedAll(store)
  }, 120_000)
  afterAll(async () => {
    await serving[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })

  const reads: readonly (() => string)[] = [
    () => '/api/list/tasks',
    () => '/api/list/tasks?limit=1000&offset=5000',
    () => '/api/list/tasks?done=true',
    () => `/api/list/tasks?any=${tag},tag1,tag2`,
    () => `/api/list/tasks?all=${tag},tag1`,
    () => '/api/list/tags',
    () => '/api/plans',
    () => `/api/plans/${sid}`,
    () => `/api/plans/${sid}?limit=1000`,
    () => `/api/plans/${sid}/events`,
    () => `/api/plans/${sid}/events?limit=1000`,
  ]
  for (const path of reads)
    test(`GET ${path().replace('undefined', 'SID')}`, async () => {
      const ms = await leastHeldMs(async () => {
        const response = await fetch(`${serving.url}${path()}`)
        await response.arrayBuffer()
        assert.equal(response.status, 200)
      })
      assert.ok(ms <= heldMsMax, `held for ${ms.toFixed(0)} ms`)
    }, 60_000)
})
