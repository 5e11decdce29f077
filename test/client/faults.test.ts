import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'vitest'
import { ClientError, holdfastClient } from '../../src/client/index.ts'
import { Ground } from './ground.ts'
import type { Fault } from './relay.ts'

/** After each of these the server may or may not have done what it was asked. */
const lossy: readonly Fault[] = ['lose', 'halve', { status: 502 }, { status: 503 }, { status: 504 }]

const away = { error: 'The store can’t be used.', code: 'STORE_UNAVAILABLE' }

const failing = (code: string) => (error: unknown) => {
  assert.ok(error instanceof ClientError, String(error))
  assert.equal(error.code, code, error.message)
  return true
}

describe('an answer that is lost', () => {
  for (const fault of [...lossy, 'drop' as const])
    test(`a read is asked again: ${JSON.stringify(fault)}`, async () => {
      await using ground = await Ground.open()
      const task = await ground.client.list.add({ text: 'x' })
      ground.relay.faults.push(fault, fault)
      assert.equal((await ground.client.list.get({ id: task.id })).text, 'x')
      assert.equal(ground.relay.seen.length, 4)
    })

  for (const fault of [...lossy, 'drop' as const])
    test(`a change is not sent twice, and its outcome is unknown: ${JSON.stringify(fault)}`, async () => {
      await using ground = await Ground.open()
      const { list, queue, jobs } = ground.client
      const changes = [
        () => list.add({ text: 'x' }),
        () => queue.submit({ type: 'x', idempotency_key: null }),
        () => jobs.submit({ payload: 1 }),
        () => jobs.claimNext({ worker_id: 'w' }),
        () => ground.client.request('POST', '/api/tasks', { body: { title: 'x' } }),
      ]
      for (const change of changes) {
        ground.relay.faults.push(fault)
        await assert.rejects(change(), failing('unknown_outcome'))
      }
      assert.equal(ground.relay.seen.length, changes.length)
      assert.ok((await list.query()).items.length <= 1)
    })

  for (const fault of [...lossy, 'drop' as const])
    test(`a change that is repeatable is sent again, and done once: ${JSON.stringify(fault)}`, async () => {
      await using ground = await Ground.open()
      const { queue, jobs, plan, tree } = ground.client
      const twice = () => ground.relay.faults.push(fault, fault)
      twice()
      const job = await jobs.submit({ payload: 1, idempotency_key: 'k' })
      twice()
      const claimed = await jobs.claim({ id: job.id, worker_id: 'w' })
      assert.equal(claimed.attempts, 1)
      twice()
      const { id, claim_token } = claimed
      assert.equal((await jobs.complete({ id, claim_token, result: 2 })).result, 2)
      twice()
      await queue.submit({ type: 'x', idempotency_key: 'k' })
      twice()
      await plan.start({ directory: '/home/ann' })
      const task = await tree.create({ title: 'x' })
      twice()
      assert.deepEqual((await tree.setTags({ id: task.id, tags: ['a'] })).tags, ['a'])
      await tree.claim({ id: task.id, agent: 'ann' })
      twice()
      assert.equal((await tree.reclaim({ id: task.id, agent: 'ann' })).claimed_by, 'ann')
      const counts = [await jobs.list(), await queue.list(), await plan.list()]
      assert.deepEqual(
        counts.map(({ items }) => items.length),
        [1, 1, 1],
      )
    })

  test('is no refusal: what is refused after it may have happened', async () => {
    await using ground = await Ground.open()
    const { jobs } = ground.client
    const { id } = await jobs.submit({ payload: 1, max_attempts: 5 })
    const { claim_token } = await jobs.claim({ id, worker_id: 'w' })
    ground.relay.faults.push('lose')
    // It is pending again, so a second failure of this claim is refused.
    await assert.rejects(jobs.fail({ id, claim_token, error: 'x' }), (error: ClientError) => {
      failing('unknown_outcome')(error)
      assert.equal(error.status, 409)
      return true
    })
    const { status, attempts } = await jobs.get({ id })
    assert.deepEqual([status, attempts], ['pending', 1])
    await assert.rejects(jobs.fail({ id, claim_token, error: 'x' }), (error: ClientError) =>
      /^[A-Z_]+$/.test(error.code),
    )
  })

  test('and goes on being lost: then the outcome is unknown', async () => {
    await using ground = await Ground.open({ retries: 1 })
    const { jobs } = ground.client
    ground.relay.faults.push('lose', { instead: 429 })
    await assert.rejects(
      jobs.submit({ payload: 1, idempotency_key: 'k' }),
      failing('unknown_outcome'),
    )
    assert.equal((await jobs.byKey({ key: 'k' })).payload, 1)
  })
})

describe('what did not get there', () => {
  const refused: readonly Fault[] = [
    { instead: 429, headers: { 'Retry-After': '0' } },
    { instead: 503, body: { ...away, details: { outcome: 'unavailable' } } },
  ]

  for (const fault of refused)
    test(`is sent again, whatever it is: ${JSON.stringify(fault)}`, async () => {
      await using ground = await Ground.open()
      ground.relay.faults.push(fault, fault)
      await ground.client.list.add({ text: 'x' })
      assert.equal((await ground.client.list.query()).total, 1)
      assert.equal(ground.relay.seen.length, 4)
    })

  test('waits as long as Retry-After says, and no longer than a minute', async () => {
    await using ground = await Ground.open()
    const refusal = (seconds: string): Fault => ({
      instead: 503,
      body: { ...away, details: { outcome: 'unavailable' } },
      headers: { 'Retry-After': seconds },
    })
    ground.relay.faults.push(refusal('1'))
    const from = performance.now()
    await ground.client.list.tags()
    assert.ok(performance.now() - from >= 990)
    ground.relay.faults.push(refusal('3600'))
    await assert.rejects(ground.client.list.tags(), failing('STORE_UNAVAILABLE'))
  })

  test('fails as unreachable where nobody listens', async () => {
    await using ground = await Ground.open()
    const client = holdfastClient({ url: ground.relay.url, retries: 1 })
    await ground.relay[Symbol.asyncDispose]()
    await assert.rejects(client.list.add({ text: 'x' }), failing('unreachable'))
    await assert.rejects(client.list.query(), failing('unreachable'))
  })

  test('the store behind the server may not know either', async () => {
    await using ground = await Ground.open()
    ground.relay.faults.push({
      instead: 503,
      body: { ...away, details: { outcome: 'unknown_outcome' } },
    })
    await assert.rejects(ground.client.list.add({ text: 'x' }), (error: ClientError) => {
      failing('unknown_outcome')(error)
      assert.equal(error.message, away.error)
      return true
    })
    assert.equal(ground.relay.seen.length, 1)
  })
})

describe('what is no answer of Holdfast', () => {
  test('is told as that, and not retried', async () => {
    await using ground = await Ground.open()
    const answers: readonly Fault[] = [
      { instead: 200, body: '<html>' },
      { instead: 404, body: '<html>' },
      { instead: 302, headers: { Location: 'http://127.0.0.1:1/' } },
    ]
    for (const fault of answers) {
      ground.relay.faults.push(fault)
      await assert.rejects(ground.client.list.query(), failing('invalid_answer'))
    }
    ground.relay.faults.push({ instead: 200, body: '<html>' })
    await assert.rejects(ground.client.list.add({ text: 'x' }), failing('unknown_outcome'))
    assert.equal(ground.relay.seen.length, 4)
  })
})

describe('what takes too long', () => {
  test('is a timeout of a read, and an unknown outcome of a change', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const client = holdfastClient({ url: `http://127.0.0.1:${port}`, timeoutMs: 50, retries: 1 })
    await assert.rejects(client.list.query(), failing('timeout'))
    await assert.rejects(client.list.add({ text: 'x' }), failing('unknown_outcome'))
    const reason = new Error('enough')
    const ending = AbortSignal.abort(reason)
    await assert.rejects(client.list.query({}, { signal: ending }), reason)
    const ended = holdfastClient({ url: `http://127.0.0.1:${port}`, signal: ending })
    await assert.rejects(ended.list.add({ text: 'x' }), reason)
    silent.closeAllConnections()
    silent.close()
  })

  test('ends at once when it is aborted, also between two attempts', async () => {
    await using ground = await Ground.open({ retries: 100 })
    ground.relay.faults.push(...Array.from({ length: 100 }, () => 'drop' as const))
    const ending = new AbortController()
    const asked = ground.client.list.query({}, { signal: ending.signal })
    setTimeout(() => ending.abort(), 300)
    await assert.rejects(asked, { name: 'AbortError' })
  })
})
