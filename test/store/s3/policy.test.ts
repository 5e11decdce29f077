import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { AwsClient } from 'aws4fetch'
import { test } from 'vitest'
import { create, openStore, remove, StoreError, update } from '../../../src/store/index.ts'
import type { S3Account } from '../../servers/s3.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from './ground.ts'

/** The policy that docs/stores/s3.md tells an operator to give, for one bucket. */
function documentedPolicy(bucket: string): string {
  const [, json] =
    /```json\n(\{\s*"Version".*?)```/s.exec(readFileSync('docs/stores/s3.md', 'utf8')) ?? []
  return (json as string).replaceAll('BUCKET', bucket)
}

/** Short-lived credentials that may do no more than a policy says, put where the driver looks for them. */
async function assumeRole(account: S3Account, policy: string): Promise<void> {
  const { accessKeyId, secretAccessKey, endpoint } = account
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: 'sts',
    region: 'us-east-1',
  })
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    DurationSeconds: '3600',
    Policy: policy,
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const text = await (await client.fetch(endpoint, { method: 'POST', headers, body })).text()
  const field = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(text)?.[1] as string
  process.env['AWS_ACCESS_KEY_ID'] = field('AccessKeyId')
  process.env['AWS_SECRET_ACCESS_KEY'] = field('SecretAccessKey')
  process.env['AWS_SESSION_TOKEN'] = field('SessionToken')
}

test('the policy in docs/stores/s3.md is enough for everything, with a session token', async () => {
  const { account, bucket, url } = await s3Bucket(sharedMinio(), { probe: 'remembered' })
  const other = await account.createBucket()
  await assumeRole(account, documentedPolicy(bucket))
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
