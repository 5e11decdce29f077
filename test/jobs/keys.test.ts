import assert from 'node:assert/strict'
import { test } from 'vitest'
import { InvalidTaskError, TaskManager } from '../../src/jobs/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, bytes } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

const largest = 262_144

const keys: Readonly<Record<string, string>> = {
  'of 2,000 Japanese characters': '鍵'.repeat(2_000),
  'of 100 KB': `k${'0123456789'.repeat(10_240)}`,
  'as long as can be': 'k'.repeat(largest),
  'of control characters, as long as can be': '\u0001'.repeat(Math.floor(largest / 6)),
  'of emoji': '🗝'.repeat(20_000),
  'with half a surrogate pair': `\ud800${'x'.repeat(5_000)}`,
  'of one space': ' ',
  'of what looks like a hash': `%sha256-${'0'.repeat(64)}`,
  'of dots': '..',
}

onEveryStore('an idempotency key', { check: assertLayout }, (ground) => {
  for (const [name, idempotencyKey] of Object.entries(keys))
    test(`${name} is one task, found by the whole key, up to its end with the largest result`, async () => {
      const manager = new TaskManager(ground.store)
      const full = new Uint8Array(256 * 1024).fill(255)
      const id = await manager.submit({ idempotencyKey, payload: full })
      assert.equal(await manager.submit({ idempotencyKey, payload: bytes('y') }), id)
      const near = await manager.submit({
        idempotencyKey: idempotencyKey.slice(1) || 'other',
        payload: bytes('z'),
      })
      assert.notEqual(near, id)
      assert.equal((await manager.getByIdempotencyKey(idempotencyKey)).id, id)
      assert.equal((await storedTask(ground.store, id))['idempotencyKey'], idempotencyKey)
      await manager.claim(id, '\u0001'.repeat(4_096))
      await manager.fail(id, '\u0001'.repeat(20_000))
      await manager.claim(id, '\u0001'.repeat(4_096))
      await manager.complete(id, full)
      await manager.delete(id)
      assert.notEqual(await manager.submit({ idempotencyKey, payload: bytes('y') }), id)
    })

  test('of more than 256 KiB as JSON is refused, and stands for no task', async () => {
    const manager = new TaskManager(ground.store)
    for (const idempotencyKey of [
      'k'.repeat(largest + 1),
      '鍵'.repeat(100_000),
      '\u0001'.repeat(50_000),
    ]) {
      await assertRefused(manager.submit({ idempotencyKey, payload: bytes('x') }), InvalidTaskError)
      await assertRefused(manager.getByIdempotencyKey(idempotencyKey), InvalidTaskError)
    }
  })
})
