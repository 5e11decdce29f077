import assert from 'node:assert/strict'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { connectBucket } from '../../web/src/bucket/connect.ts'
import { Failure } from '../../web/src/source/failure.ts'
import type { QueueSource } from '../../web/src/source/source.ts'
import { region } from '../servers/s3.ts'
import { BucketScene } from './bucket.ts'

const usual = globalThis.fetch

/** What becomes of one request to a bucket: it is answered, or not, and may have arrived all the same. */
type Fate = 'answered' | 'lost on its way' | 'arrived, the answer lost'

describe('answers that a page in a bucket does not get', () => {
  let scene: BucketScene
  let queue: QueueSource
  let puts: string[]
  let fateOf: (method: string, name: string) => Fate
  beforeAll(async () => {
    scene = await BucketScene.start()
    const { bucket, account } = scene
    const { endpoint, accessKeyId, secretAccessKey } = account
    const keys = { accessKeyId, secretAccessKey, sessionToken: '' }
    globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(String(input))
      const method = init?.method ?? 'GET'
      if (method === 'PUT') puts.push(pathname)
      const fate = fateOf(method, pathname)
      if (fate === 'lost on its way') throw new TypeError('Failed to fetch')
      const response = await usual(input, init)
      if (fate === 'answered') return response
      await response.arrayBuffer()
      throw new TypeError('Failed to fetch')
    }
    fateOf = () => 'answered'
    const source = await connectBucket({ bucket, prefix: '', endpoint, region }, keys)
    queue = source.queue
  })
  afterEach(() => {
    fateOf = () => 'answered'
  })
  afterAll(async () => {
    globalThis.fetch = usual
    await scene[Symbol.asyncDispose]()
  })

  const isTask = (method: string, name: string) => method === 'PUT' && name.includes('/tasks/')
  const seen = async () => {
    const { id } = await scene.queue.submit({ type: 'mail' })
    puts = []
    return queue.get(id)
  }
  const inDoubt = (error: unknown) => {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.kind, 'unreachable')
    assert.match(error.message, /^The bucket did not answer, so this may or may not have happened/)
    return true
  }

  test('a change that has arrived is found in the bucket, and not sent again', async () => {
    const before = await seen()
    fateOf = (method, name) => (isTask(method, name) ? 'arrived, the answer lost' : 'answered')
    assert.equal((await queue.act(before, 'cancel')).status, 'cancelled')
    assert.equal((await scene.queue.history(before.task.id)).length, 2)
    assert.equal(puts.filter((name) => name.includes('/tasks/')).length, 1)
  })

  test('one that has not is not sent again: the page says that nobody knows', async () => {
    const before = await seen()
    fateOf = (method, name) => (isTask(method, name) ? 'lost on its way' : 'answered')
    await assert.rejects(queue.act(before, 'cancel'), inDoubt)
    assert.equal(puts.length, 1)
    assert.equal((await scene.queue.get(before.task.id)).status, 'pending')
    fateOf = () => 'answered'
    assert.equal((await queue.act(before, 'cancel')).status, 'cancelled', 'it can be done then')
  })

  test('nor is one that nobody can look for', async () => {
    const before = await seen()
    let isGone = false
    fateOf = (method, name) => {
      isGone ||= isTask(method, name)
      return isGone ? 'arrived, the answer lost' : 'answered'
    }
    await assert.rejects(queue.act(before, 'cancel'), inDoubt)
    assert.equal(puts.length, 1)
    assert.equal((await scene.queue.get(before.task.id)).status, 'cancelled')
  })

  test('a task that could not be submitted for certain is not submitted twice', async () => {
    puts = []
    fateOf = (method, name) => (isTask(method, name) ? 'lost on its way' : 'answered')
    const draft = { type: 'twice', input: null, delaySeconds: null, maxRetries: null }
    const submit = () => queue.submit({ ...draft, timeoutSeconds: null, idempotencyKey: null })
    await assert.rejects(submit(), inDoubt)
    assert.equal(puts.filter((name) => name.includes('/tasks/')).length, 1)
    assert.deepEqual((await scene.queue.list({ type: 'twice' })).tasks, [])
    fateOf = (method, name) => (isTask(method, name) ? 'arrived, the answer lost' : 'answered')
    const { id } = await submit()
    assert.equal((await scene.queue.get(id)).status, 'pending')
  })
})
