import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Worker } from '../../src/queue/index.ts'
import { create, openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { temporaryFolder } from '../store/ground.ts'

test('a worker whose leases a thread has watched over ends, and its process still holds the file against others', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using store = await openStore(url)
  assert.ok((await store.commit([create('ns/before', new Uint8Array([1]))])).ok)
  const worker = new Worker(store, { url, monitor: false, handlers: { t: () => null } })
  await worker.start()
  await worker.stop()
  // Who closes the file as the last one takes the log away, and so must not take itself for that.
  await using other = new Child('open-close', [url])
  await other.message()
  assert.ok((await store.commit([create('ns/after', new Uint8Array([1]))])).ok)
})
