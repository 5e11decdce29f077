import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { ProbeMemory } from '../../../src/store/drivers/s3/memory.ts'
import { create, openStore, remove, StoreError, update } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from './ground.ts'
import { assumeRole } from './role.ts'
import { probeShortly, withBucket } from './short-probe.ts'

/** The policy that docs/stores/s3.md tells an operator to give, for one bucket. */
function documentedPolicy(bucket: string): string {
  const [, json] =
    /```json\n(\{\s*"Version".*?)```/s.exec(readFileSync('docs/stores/s3.md', 'utf8')) ?? []
  return (json as string).replaceAll('BUCKET', bucket)
}

test('the policy in docs/stores/s3.md is enough for everything, with a session token', async () => {
  const { account, bucket, url } = await s3Bucket(sharedMinio(), { probe: 'remembered' })
  const other = await account.createBucket()
  await assumeRole(account, documentedPolicy(bucket))
  // It is allowed all that a probe does; the store reads what was found.
  const { deletionFlaw } = await withBucket(url('policy'), (opened) =>
    new ProbeMemory(opened, probeShortly).result(),
  )
  assert.equal(deletionFlaw, 'DELETE ignores its condition')
  await using store = await openStore(url('policy'))
  const created = await store.commit([create('ns/a', new Uint8Array([1]))])
  assert.ok(created.ok)
  const head = { key: 'ns/a', revision: created.revisions[0] as string }
  const updated = await store.commit([update(head, new Uint8Array([2]))])
  assert.ok(updated.ok)
  const seen: string[] = []
  for await (const { key } of store.scan('')) seen.push(key)
  assert.deepEqual(seen, ['ns/a'])
  const last = { key: 'ns/a', revision: updated.revisions[0] as string }
  assert.deepEqual(await store.commit([remove(last)]), { ok: true, revisions: [null] })
  const values: (number | null)[] = []
  for await (const { value } of store.versions!('ns/a')) values.push(value && (value[0] as number))
  assert.deepEqual(values, [null, 2, 1])
  const error = await openStore(account.storeUrl(other)).catch((failure: unknown) => failure)
  assert.ok(error instanceof StoreError && error.reason === 'permission', String(error))
})
