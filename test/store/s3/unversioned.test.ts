import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  create,
  type Head,
  remove,
  type Store,
  update,
  type Write,
} from '../../../src/store/index.ts'
import { startS3Proxy } from '../../proxy/s3-proxy.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A gateway sends a write twice, and another client follows up on the first one before the second arrives. */
async function followedUp(
  write: (known: string) => Write,
  followUp: (seen: Head) => Write,
): Promise<void> {
  const bucket = await s3Bucket(sharedMinio(), { versioned: false })
  await using proxy = await startS3Proxy(bucket.account.endpoint)
  await using other: Store = await bucket.open('')
  await using store: Store = await bucket.open('', { endpoint: proxy.endpoint })
  const before = await other.commit([create('ns/known', bytes('0'))])
  assert.ok(before.ok)
  const mine = write(before.revisions[0] as string)
  let seen: string | undefined
  let followed: string | null | undefined
  proxy.betweenDuplicates = async () => {
    const entry = await other.get(mine.key)
    assert.ok(entry)
    seen = entry.revision
    const result = await other.commit([followUp(entry)])
    assert.ok(result.ok)
    followed = result.revisions[0]
  }
  proxy.faults.next('duplicate', ({ method }) => method === 'PUT')
  assert.deepEqual(await store.commit([mine]), { ok: true, revisions: [seen] })
  assert.equal((await other.get(mine.key))?.revision ?? null, followed)
}

const writes: Record<string, (known: string) => Write> = {
  creation: () => create('ns/new', bytes('1')),
  update: (revision) => update({ key: 'ns/known', revision }, bytes('1')),
}

for (const [name, write] of Object.entries(writes)) {
  test(`a gateway sends the ${name} twice and another client updates the key in between: it is done`, () =>
    followedUp(write, (seen) => update(seen, bytes('2'))))

  test(`a gateway sends the ${name} twice and another client removes the key in between: it is done, and not done again`, () =>
    followedUp(write, remove))
}
