import assert from 'node:assert/strict'
import { describe, onTestFinished, test, vi } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { limited, openStore, type Write } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { down, isUnknown, lostAnswer, meddled, path, told } from './meddled.ts'

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

test('a start whose answer was lost keeps its place from a repair that is about to remove it', async () => {
  const store = limited(await openStore('memory:'), 1)
  let calledAt = Number.POSITIVE_INFINITY
  const watched = altered(store, {
    get: (key) => {
      calledAt = performance.now()
      return store.get(key)
    },
    scan: (prefix, options) => {
      calledAt = performance.now()
      return store.scan(prefix, options)
    },
  })
  let repairing: Promise<unknown> | null = null
  const losing = altered(store, {
    commit: async (writes) => {
      const [{ key }] = writes as [Write]
      if (repairing === null && key.startsWith('np/idx/')) {
        repairing = new Plans(watched).repair({ graceMs: 1_000 })
        // It has looked at everything, and waits.
        await eventually(() => assert.ok(performance.now() - calledAt > 100))
        throw lostAnswer()
      }
      if (key.endsWith('/meta')) await repairing
      return store.commit(writes)
    },
  })
  const { session } = await new Plans(losing).start(path)
  assert.equal((await new Plans(store).find(path))?.sid, session.sid)
})

describe('a start that was killed after a repair took its place, when the directory has another session', () => {
  for (const isUsed of [false, true])
    test(
      isUsed ? 'is left to its owner, if it was used' : 'is archived by the next repair',
      async () => {
        const store = limited(await openStore('memory:'), 1)
        const plans = new Plans(store)
        const doomed = meddled(store, /meta$/, async (_, commit) => {
          await plans.repair({ graceMs: 0 })
          await commit()
          throw new Error('killed')
        })
        await assert.rejects(new Plans(doomed).start(path), /killed/)
        const { session } = await plans.start(path)
        const sids: string[] = []
        for await (const { key } of store.list('np/s'))
          if (key.endsWith('/meta')) sids.push(key.split('/')[2] as string)
        const second = sids.find((sid) => sid !== session.sid) as string
        if (isUsed) await plans.change(second, { kind: 'set-goal', words: { title: 'Ship' } }, told)
        const { left } = await plans.repair({ graceMs: 0 })
        assert.equal(left.length, isUsed ? 1 : 0)
        assert.equal((await plans.session(second)).state, isUsed ? 'active' : 'archived')
        assert.equal((await plans.find(path))?.sid, session.sid)
      },
    )
})

test('a start so slow that a repair took all its entries has them in the end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const store = limited(await openStore('memory:'), 1)
  const plans = new Plans(store)
  const slow = meddled(store, /meta$/, async (nth, commit) => {
    if (nth === 1) {
      await plans.repair({ graceMs: 0 })
      vi.advanceTimersByTime(6_000)
    }
    return commit()
  })
  const { session, isNew } = await new Plans(slow).start(path)
  assert.equal(isNew, true)
  assert.equal((await plans.find(path))?.sid, session.sid)
  const { sessions } = await plans.list()
  assert.deepEqual(
    sessions.map((each) => each.session.sid),
    [session.sid],
  )
  assert.equal((await plans.repair({ graceMs: 0 })).mended, 0)
})

test.each([/\/active$/, /idx/])(
  'a repair that is about to take the entry %s of a slow start loses, even if the start ends first',
  async (entry) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = limited(await openStore('memory:'), 1)
    let isReached = () => {}
    let end = () => {}
    const reached = new Promise<void>((resolve) => {
      isReached = resolve
    })
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const late = meddled(store, entry, async (_, commit) => {
      isReached()
      await ended
      return commit()
    })
    let repairing: Promise<unknown> | undefined
    const slow = meddled(store, /meta$/, async (nth, commit) => {
      if (nth === 1) {
        repairing = new Plans(late).repair({ graceMs: 0 })
        await reached
        vi.advanceTimersByTime(6_000)
      }
      return commit()
    })
    const plans = new Plans(store)
    const { session } = await new Plans(slow).start(path)
    end()
    await repairing
    assert.equal((await plans.find(path))?.sid, session.sid)
    const { sessions } = await plans.list()
    assert.deepEqual(
      sessions.map((each) => each.session.sid),
      [session.sid],
    )
  },
)

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
