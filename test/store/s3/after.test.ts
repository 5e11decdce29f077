import assert from 'node:assert/strict'
import { test } from 'vitest'
import { compareKeys, create, openStore, type Store } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from './ground.ts'

/** Names around which MinIO's own order and that of their bytes differ. */
const siblings = ['a', 'a/b', 'a/b/c', 'a-b', 'a.x', 'a.x/c', 'a b', 'a!', 'meta', 'meta/evt_seq']
const folders = ['s/01', 's/02', 's/02-x', 's/02/deep', 's/03']

test('a list that starts after any key misses nothing, whatever lies beside it', async () => {
  const bucket = await s3Bucket(sharedMinio())
  await using store = await openStore(bucket.url('after'))
  const events = Array.from({ length: 3 }, (_, index) => `evt/${index}`)
  const keys = folders.flatMap((folder) =>
    [...siblings, ...events].map((name) => `np/${folder}/${name}`),
  )
  for (const key of keys) await store.commit([create(key, new Uint8Array([1]))])
  keys.sort(compareKeys)
  assert.deepEqual(await listed(store, {}), keys)
  for (const limit of [1, 2, 7])
    for (const [index, after] of keys.entries())
      assert.deepEqual(
        await listed(store, { after, limit }),
        keys.slice(index + 1, index + 1 + limit),
        `after ${after}, ${limit} at most`,
      )
  // Between two bounds only what both begin with is asked for.
  for (const [index, after] of keys.entries())
    for (const to of [index + 1, index + 4, index + 30].filter((at) => at < keys.length))
      assert.deepEqual(
        await listed(store, { after, before: keys[to] as string }),
        keys.slice(index + 1, to),
        `between ${after} and ${keys[to]}`,
      )
})

test('nor in the namespace of the queue, where names are free', async () => {
  const bucket = await s3Bucket(sharedMinio())
  await using store = await openStore(bucket.url('free'))
  const keys = ['a', 'a-b', 'a.b', 'a0'].flatMap((folder) =>
    Array.from({ length: 12 }, (_, id) => `qo/t/${folder}/${id}`),
  )
  for (const key of keys) await store.commit([create(key, new Uint8Array([1]))])
  keys.sort(compareKeys)
  for (const limit of [1, 5, 7])
    for (const [index, after] of keys.entries())
      assert.deepEqual(
        await listed(store, { after, limit }, 'qo'),
        keys.slice(index + 1, index + 1 + limit),
      )
})

async function listed(
  store: Store,
  options: { after?: string; before?: string; limit?: number },
  prefix = 'np',
): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list(prefix, options)) found.push(key)
  return found
}
