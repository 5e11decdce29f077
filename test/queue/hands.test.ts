import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Metrics } from '../../src/queue/index.ts'
import { Bell } from '../../src/queue/worker/bell.ts'
import type { Execution } from '../../src/queue/worker/execution.ts'
import { Hands } from '../../src/queue/worker/hands.ts'
import { News } from '../../src/queue/worker/news.ts'
import { settingsOf } from '../../src/queue/worker/options.ts'
import { openStore } from '../../src/store/index.ts'
import { deferred } from './kit.ts'

test('a task that was found twice at once is claimed once, and stays in hand', async () => {
  await using store = await openStore('memory:')
  const settings = settingsOf({ handlers: { t: () => null } })
  const news = new News(new Metrics(store), () => {})
  const hands = new Hands({ settings, guard: null, news, bell: new Bell() })
  const claim = deferred<Execution | null>()
  let claims = 0
  const first = hands.take('id', () => {
    claims++
    return claim.promise
  })
  await hands.take('id', async () => {
    claims++
    return null
  })
  assert.deepEqual([claims, hands.holds('id')], [1, true])
  claim.resolve(null)
  await first
  assert.equal(hands.holds('id'), false)
})
