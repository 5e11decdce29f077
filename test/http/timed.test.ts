import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../src/http/index.ts'
import { openStore } from '../../src/store/index.ts'
import { heldMs, leastHeldMs } from '../event-loop.ts'
import { sized } from '../size.ts'
import { idOf, plant } from '../tree/planted.ts'
import { served } from './served.ts'

/** No request may keep others waiting longer than this. */
const heldMsMax = 50
const roundsMax = 3
/** A deletion leaves much garbage to collect, of which other rounds have less. */
const deletionRoundsMax = 8

const asked = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, {
    ...init,
    headers: { 'X-Agent-ID': 'ann', 'Content-Type': 'application/json' },
  })
  await response.arrayBuffer()
  return response
}

const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })

const deep = sized(12_000, 12_000)
const wide = sized(20_000, 100_000)
const shapes = {
  [`a chain of ${deep} levels`]: { count: deep, parentOf: (n: number) => n - 1 },
  [`${wide} tasks below one`]: { count: wide, parentOf: () => 0 },
}

for (const [shape, { count, parentOf }] of Object.entries(shapes))
  describe(`no request holds the event loop, with ${shape}`, () => {
    const planted = async (): Promise<Serving> => {
      const store = await openStore('memory:')
      await plant(store, count, (n) => ({
        parent: n === 0 ? null : parentOf(n),
        tags: n % 2 === 0 ? ['even'] : ['odd'],
        status: n % 10 === 9 ? 'closed' : 'open',
      }))
      return served(store)
    }
    let serving: Serving
    beforeAll(async () => {
      serving = await planted()
    }, 120_000)
    afterAll(() => serving[Symbol.asyncDispose]())

    const last = idOf(count - 1)
    const reads = [
      '',
      '?tag=even,odd',
      '?tag_pattern=e*',
      '?status=open',
      '?priority=2&limit=1000',
      `?parent_id=${idOf(0)},${idOf(1)}`,
      '?claimed_by=ann',
      '?include_deleted=true&offset=5000',
      '/ready',
      '/ready?tag=even&limit=1000',
      `/${last}`,
      `/${last}/ancestors`,
      `/${idOf(0)}/children`,
      `/${idOf(0)}/subtree`,
      `/${idOf(0)}/subtree?flat=true`,
      `/${idOf(0)}/subtree?depth=3`,
      `/${idOf(0)}/subtree?flat=true&limit=10&offset=5000`,
      `/${last}/history`,
      `/${last}/grimoire-match`,
    ]
    for (const path of reads)
      test(`GET /api/tasks${path}`, async () => {
        const url = `${serving.url}/api/tasks${path}`
        const ms = await leastHeldMs(async () => assert.equal((await asked(url)).status, 200))
        assert.ok(ms <= heldMsMax, `held for ${ms.toFixed(0)} ms`)
      }, 60_000)

    /** Each round changes other tasks, for nothing happens a second time. */
    const changes: Readonly<Record<string, (round: number) => [path: string, init: RequestInit]>> =
      {
        'a claim': (round) => [`/${idOf(count - 3 - 10 * round)}/claim`, post({})],
        'a bulk change': (round) => [
          '/bulk',
          post({
            action: 'set_priority',
            priority: 3,
            task_ids: [4, 5, 6, 7, 8].map((at) => idOf(count - at - 10 * round)),
          }),
        ],
        'a release': (round) => [`/${idOf(count - 3 - 10 * round)}/release`, post({})],
      }
    for (const [name, changeOf] of Object.entries(changes))
      test(name, async () => {
        let round = 0
        const ms = await leastHeldMs(async () => {
          const [path, init] = changeOf(round++)
          const { status } = await asked(`${serving.url}/api/tasks${path}`, init)
          assert.ok(status < 300, String(status))
        }, roundsMax)
        assert.ok(ms <= heldMsMax, `held for ${ms.toFixed(0)} ms`)
      }, 240_000)

    test('a deletion of everything', async () => {
      let least = Number.POSITIVE_INFINITY
      for (let round = 0; round < deletionRoundsMax && least > heldMsMax; round++) {
        await using fresh = await planted()
        const url = `${fresh.url}/api/tasks/${idOf(0)}`
        const remove = async () =>
          assert.equal((await asked(url, { method: 'DELETE', body: '{}' })).status, 204)
        least = Math.min(least, await heldMs(remove))
      }
      assert.ok(least <= heldMsMax, `held for ${least.toFixed(0)} ms`)
    }, 240_000)
  })
