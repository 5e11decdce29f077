import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEveryStore } from '../../models/stores.ts'
import { Caller } from '../served.ts'
import { assertAll } from './ground.ts'
import { opened, servedAll } from './served.ts'

interface Job {
  readonly id: string
  readonly payload: unknown
}

onEveryStore('many who ask for jobs over HTTP', { check: assertAll }, (ground) => {
  test('workers who ask two servers at once get a job each, or none', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    await using other = await servedAll(await ground.open())
    const apis = [api, await Caller.to(other.url)]
    for (const payload of [1, 2, 3]) await api.done('POST', '/api/jobs', { body: { payload } })
    const asked = Array.from({ length: 8 }, (_, n) =>
      (apis[n % 2] as Caller).ask<Job | undefined>('POST', '/api/jobs/claim-next', {
        body: { worker_id: `w${n}` },
      }),
    )
    const had = (await Promise.all(asked)).flatMap(({ body }) => body?.payload ?? [])
    assert.deepEqual(had.sort(), [1, 2, 3])
  })

  test('of all who submit one key at once, to two servers, one hears that it is new', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    await using other = await servedAll(await ground.open())
    const apis = [api, await Caller.to(other.url)]
    for (const idempotency_key of ['a', 'b', 'c']) {
      const asked = Array.from({ length: 6 }, (_, n) =>
        (apis[n % 2] as Caller).ask<Job>('POST', '/api/jobs', {
          body: { payload: n, idempotency_key },
        }),
      )
      const answers = await Promise.all(asked)
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201])
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
      const made = answers.find(({ status }) => status === 201)
      assert.equal(made?.headers.get('location'), `/api/jobs/${made?.body.id}`)
    }
  })
})
