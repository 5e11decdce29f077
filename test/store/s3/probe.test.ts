import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import { ProbeMemory } from '../../../src/store/drivers/s3/memory.ts'
import { s3Requests } from '../../../src/store/drivers/s3/requests.ts'
import { create, remove, type Store } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { assertFails } from '../failures.ts'
import { type Flaw, startFakeServer } from './fake-server.ts'
import { s3Bucket } from './ground.ts'
import { probeShortly, withBucket } from './short-probe.ts'

interface Memory {
  readonly at: string
  readonly server: string
  readonly deletionFlaw: string
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function withFake(
  flaws: readonly Flaw[],
  body: (url: string, objects: ReadonlyMap<string, { body: string }>) => Promise<void>,
): Promise<void> {
  await using server = await startFakeServer(...flaws)
  process.env['AWS_ACCESS_KEY_ID'] = 'someone'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'a-secret-of-someone'
  await body(`s3://bucket?endpoint=${server.endpoint}`, server.objects)
}

const write = (store: Store, key = 'ns/a') => store.commit([create(key, bytes('1'))])

describe('the probe before the first write', () => {
  test.each([
    ['creation', 'creation if absent failed in round 1 with 32 writers (32 of 32 won)'],
    ['late creation', 'creation if absent failed in round 20 with 32 writers (32 of 32 won)'],
  ] as const)('refuses a server with the flaw "%s", by name', async (flaw, words) => {
    await withFake([flaw], async (url, objects) => {
      await using store = await openS3(url)
      const error = await assertFails(() => write(store), 'unsafe_server')
      assert.ok(error.message.includes(words), error.message)
      assert.deepEqual([...objects.keys()], [], 'it left something behind')
    })
  })

  test('refuses a server that ignores the condition of an update, by name', async () => {
    await withFake(['update'], async (url, objects) => {
      const error = await assertFails(() => withBucket(url, probeShortly), 'unsafe_server')
      const words = 'update if unchanged failed in round 1 with 32 writers (32 of 32 won)'
      assert.ok(error.message.includes(words), error.message)
      assert.deepEqual([...objects.keys()], [], 'it left something behind')
    })
  })

  test('removes by DELETE where it can be trusted, and by an empty object where not', async () => {
    for (const flaws of [[], ['deletion'], ['no deletion']] as const)
      await withFake(flaws, async (url, objects) => {
        // The store finds what this one has found, and written down.
        const found = await withBucket(url, (bucket) =>
          new ProbeMemory(bucket, probeShortly).result(),
        )
        assert.equal(found.isDeletionSafe, flaws.length === 0, found.deletionFlaw ?? '')
        await using store = await openS3(url)
        const created = await write(store)
        assert.ok(created.ok)
        assert.equal(s3Requests(store)?.PUT, 1)
        await store.commit([remove({ key: 'ns/a', revision: created.revisions[0]! })])
        assert.equal(await store.get('ns/a'), null)
        const left = objects.get('/bucket/holdfast/ns/a%21')
        assert.equal(left?.body, flaws.length === 0 ? undefined : '')
        assert.equal((await write(store)).ok, true)
      })
  })

  test('is not made by one who only reads', async () => {
    await withFake(['creation'], async (url, objects) => {
      await using store = await openS3(url)
      assert.equal(await store.get('ns/a'), null)
      assert.equal(s3Requests(store)?.PUT, 0)
      assert.equal(objects.size, 0)
    })
  })

  test('is remembered in the bucket, until it is old or the server another', async () => {
    const { account, bucket, url } = await s3Bucket(sharedMinio(), { probe: 'remembered' })
    const path = `/${bucket}/holdfast/.store/probe.json`
    const memory = async () => (await account.request(path)).json() as Promise<Memory>
    /** How many writes it takes to know whether the bucket can be written to. */
    const writesToKnow = (probe: 'remembered' | 'always') =>
      withBucket(url('', { probe }), async (opened) => {
        await new ProbeMemory(opened, probeShortly).result()
        return opened.client.requests.PUT
      })
    const raceWrites = 32
    assert.ok((await writesToKnow('remembered')) > raceWrites)
    assert.equal(await writesToKnow('remembered'), 0)
    assert.ok((await writesToKnow('always')) > raceWrites)
    const found = await memory()
    assert.equal(found.server, 'MinIO')
    assert.match(found.deletionFlaw, /DELETE ignores its condition/)

    // This process knows the bucket by now; a memory that is not believed is written anew all the same.
    const isBelieved = async (server: string, ageMs: number) => {
      const at = new Date(Date.now() - ageMs).toISOString()
      const body = JSON.stringify({ ...found, server, at })
      await account.request(path, { method: 'PUT', body })
      await using store = await openS3(url(''))
      await write(store, `ns/${server}-${ageMs}`)
      return (await memory()).at === at
    }
    const dayMs = 24 * 3_600_000
    assert.equal(await isBelieved('MinIO', 6 * dayMs), true)
    assert.equal(await isBelieved('MinIO', -900), true)
    assert.equal(await isBelieved('MinIO', 8 * dayMs), false)
    assert.equal(await isBelieved('Another', 0), false)
  })
})
