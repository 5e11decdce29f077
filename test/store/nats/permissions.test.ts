import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { create, openStore, remove } from '../../../src/store/index.ts'
import { startNats } from '../../servers/nats.ts'
import { assertFails } from '../failures.ts'

/** The permissions that docs/stores/nats.md tells an operator to give, as they stand there. */
function documentedPermissions(): object {
  const [, json] =
    /```json\n(\{\s*"publish".*?)```/s.exec(readFileSync('docs/stores/nats.md', 'utf8')) ?? []
  return JSON.parse(json as string)
}

test('the permissions in docs/stores/nats.md are enough for everything', async () => {
  const user = { user: 'me', password: 'pw', permissions: documentedPermissions() }
  await using server = await startNats({ config: { authorization: { users: [user] } } })
  const url = server.url.replace('nats://', 'nats://me:pw@')
  await using store = await openStore(url)
  const events = store.watch('ns')[Symbol.asyncIterator]()
  assert.deepEqual((await events.next()).value, { type: 'resync' })
  const result = await store.commit([
    create('ns/a', new Uint8Array([1])),
    create('ns/b', new Uint8Array([2])),
  ])
  assert.ok(result.ok)
  await events.next()
  assert.ok(await store.get('ns/a'))
  const seen: string[] = []
  for await (const { key } of store.list('')) seen.push(key)
  for await (const { key } of store.scan('ns', { reverse: true })) seen.push(key)
  assert.deepEqual(seen, ['ns/a', 'ns/b', 'ns/b', 'ns/a'])
  await store.commit([remove({ key: 'ns/a', revision: result.revisions[0] as string })])
  assert.ok(Math.abs((await store.now()) - Date.now()) < 60_000)
  await events.return?.()
})

test('a write that the user may not make is denied, alone and among others, and nothing is written', async () => {
  const permissions = { publish: { deny: ['$KV.ns.closed'] } }
  const user = { user: 'me', password: 'pw', permissions }
  await using server = await startNats({ config: { authorization: { users: [user] } } })
  const url = server.url.replace('nats://', 'nats://me:pw@')
  await using store = await openStore(`${url}?timeout_ms=3000`)
  const writes = ['ns/open', 'ns/closed'].map((key) => create(key, new Uint8Array([1])))
  await assertFails(() => store.commit(writes.slice(1)), 'permission')
  await assertFails(() => store.commit(writes), 'permission')
  assert.equal(await store.get('ns/open'), null)
  assert.ok((await store.commit(writes.slice(0, 1))).ok)
})
