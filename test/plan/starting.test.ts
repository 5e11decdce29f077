import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { limited, openStore } from '../../src/store/index.ts'
import { down, isUnknown, lostAnswer, meddled, path } from './meddled.ts'

test.each([1000, 1])(
  'a start whose answer was lost does not say that nothing has happened, where a commit holds %i writes',
  async (writesMax) => {
    const store = limited(await openStore('memory:'), writesMax)
    const failing = meddled(store, /active/, (nth) =>
      Promise.reject(nth === 1 ? lostAnswer() : down()),
    )
    await assert.rejects(new Plans(failing).start(path), isUnknown)
  },
)

test('a start of which a part was done does not say that nothing has happened', async () => {
  const store = limited(await openStore('memory:'), 1)
  const failing = meddled(store, /idx/, () => Promise.reject(down()))
  await assert.rejects(new Plans(failing).start(path), isUnknown)
  assert.ok(await new Plans(store).find(path))
})

test('a session that another program is starting is answered only once it is there', async () => {
  const store = limited(await openStore('memory:'), 1)
  const first = meddled(store, /idx/, () => Promise.reject(down()))
  await assert.rejects(new Plans(first).start(path))
  const losing = meddled(store, /idx/, (nth, commit) =>
    nth === 1 ? Promise.reject(lostAnswer()) : commit(),
  )
  const { session, isNew } = await new Plans(losing).start(path)
  assert.equal(isNew, false)
  assert.ok(await store.get(`np/s/${session.sid}/meta`))
})
test('a start so slow that a repair took its place gives way to the session that came there', async () => {
  const store = limited(await openStore('memory:'), 1)
  const slow = meddled(store, /meta$/, async (nth, commit) => {
    if (nth > 1) return commit()
    await new Plans(store).repair({ graceMs: 0 })
    await new Plans(store).start(path)
    await new Promise((resolve) => setTimeout(resolve, 5_100))
    return commit()
  })
  const { session, isNew } = await new Plans(slow).start(path)
  assert.equal(isNew, false)
  assert.equal((await new Plans(store).find(path))?.sid, session.sid)
  assert.deepEqual((await new Plans(store).repair({ graceMs: 0 })).left, [])
}, 20_000)
