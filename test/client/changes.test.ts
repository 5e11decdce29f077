import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Change, type Client, holdfastClient } from '../../src/client/index.ts'
import { eventually } from '../eventually.ts'
import { servedAll } from '../http/holdfast/served.ts'
import { Ground } from './ground.ts'

/** Reads on until a change of a model, and says whether a `resync` came before it. */
async function until(changes: AsyncGenerator<Change>, model: string): Promise<boolean> {
  for (let isResync = false; ; ) {
    const { value, done } = await changes.next()
    assert.ok(!done)
    if (value.type === 'resync') isResync = true
    else if (value.model === model) return isResync
  }
}

const followed = (client: Client, lost: string[] = []) => {
  const ending = new AbortController()
  const changes = client.changes({
    models: ['jobs', 'list'],
    signal: ending.signal,
    onLost: ({ code }) => lost.push(code),
  })
  return { changes, ending }
}

describe('changes', () => {
  test('begin with resync, name what changed, and end when aborted', async () => {
    await using ground = await Ground.open()
    const { changes, ending } = followed(ground.client)
    assert.deepEqual((await changes.next()).value, { type: 'resync' })
    const { id } = await ground.client.jobs.submit({ payload: 1 })
    assert.deepEqual((await changes.next()).value, { type: 'change', model: 'jobs', id })
    const last = changes.next()
    ending.abort()
    assert.deepEqual(await last, { value: undefined, done: true })
  })

  test('go on after a cut connection and a restart of the server, with resync after each', async () => {
    await using ground = await Ground.open()
    const lost: string[] = []
    const { changes, ending } = followed(ground.client, lost)
    await changes.next()
    ground.relay.cut()
    const first = until(changes, 'list')
    while (lost.length < 1) await new Promise((resolve) => setTimeout(resolve, 10))
    await ground.client.list.add({ text: 'x' })
    const add = setInterval(
      () => void ground.client.list.add({ text: 'again' }).catch(() => {}),
      200,
    )
    assert.equal(await first, true)
    await ground.serving[Symbol.asyncDispose]()
    clearInterval(add)
    const second = until(changes, 'jobs')
    await using serving = await servedAll(ground.store)
    ground.relay.lead(serving.url)
    const submit = setInterval(
      () =>
        void holdfastClient(serving)
          .jobs.submit({ payload: 1 })
          .catch(() => {}),
      200,
    )
    assert.equal(await second, true)
    clearInterval(submit)
    assert.ok(lost.length >= 2)
    ending.abort()
    assert.equal((await changes.next()).done, true)
  })

  test('go on while a proxy says that the server is away, and end with the client', async () => {
    await using ground = await Ground.open()
    const ending = new AbortController()
    const client = holdfastClient({ url: ground.relay.url, signal: ending.signal })
    ground.relay.faults.push({ instead: 502 }, 'drop', { instead: 429 })
    const lost: string[] = []
    const changes = client.changes({ onLost: ({ code }) => lost.push(code) })
    assert.equal((await changes.next()).value?.type, 'resync')
    assert.deepEqual(lost, ['unreachable', 'unreachable', 'invalid_answer'])
    ending.abort()
    assert.equal((await changes.next()).done, true)
  })
})

describe('events of the tree', () => {
  test('go on where a lost connection ended, and with resync after a restart', async () => {
    await using ground = await Ground.open({ agent: 'ann' })
    const { tree } = ground.client
    const lost: string[] = []
    const ending = new AbortController()
    const events = ground.client.events({
      signal: ending.signal,
      onLost: ({ code }) => lost.push(code),
    })
    const first = events.next()
    // Who is connected hears where to begin, even if nothing happens.
    await eventually(() => assert.ok(ground.relay.passed.includes('GET /api/events')))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { id } = await tree.create({ title: 'one' })
    const created = (await first).value
    assert.ok(created?.type === 'task.created' && created.task.id === id)
    const next = events.next()
    ground.relay.faults.push(null, 'drop', 'drop')
    ground.relay.cut()
    await holdfastClient(ground.serving).tree.claim({ id, agent: 'bob' })
    const claimed = (await next).value
    assert.ok(claimed?.type === 'task.claimed' && claimed.task.claimed_by === 'bob')
    assert.ok(lost.length >= 1)
    const after = events.next()
    await ground.serving[Symbol.asyncDispose]()
    await using serving = await servedAll(ground.store)
    ground.relay.lead(serving.url)
    assert.equal((await after).value?.type, 'resync')
    ending.abort()
    assert.equal((await events.next()).done, true)
  })
})
