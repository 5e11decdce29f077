import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { ServerClock } from '../../src/store/server-clock.ts'

const hour = 3_600_000
const second = 1000

// Time stands still, so that none passes between two looks at it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('nothing is known before the first look', () => {
  assert.equal(new ServerClock().isKnown, false)
})

test('one exact look is right to within half of the round trip', () => {
  const clock = new ServerClock()
  const server = Date.now() + hour
  const asked = performance.now()
  clock.observe({ asked, heard: asked + 20, earliest: server + 10, latest: server + 10 })
  assert.ok(Math.abs(clock.now() - server) <= 30)
})

test('looks that tell whole seconds only narrow it down together', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -hour, max: hour }),
      fc.infiniteStream(fc.integer({ min: 1, max: 400 })),
      (offset, pauses) => {
        const clock = new ServerClock()
        let at = performance.now() - 20_000
        for (let look = 0; look < 100; look++) {
          at += pauses.next().value
          const told = Math.floor((at + offset) / second) * second
          clock.observe({ asked: at - 2, heard: at + 2, earliest: told, latest: told + second - 1 })
        }
        const off = Math.abs(clock.now() - (performance.now() + offset))
        assert.ok(off < 0.6 * second, `it is off by ${off} ms`)
      },
    ),
  )
})

test('a clock that was set is followed', () => {
  const clock = new ServerClock()
  const asked = performance.now()
  const look = (server: number) =>
    clock.observe({ asked, heard: asked + 1, earliest: server, latest: server })
  look(Date.now())
  look(Date.now() + hour)
  assert.ok(Math.abs(clock.now() - (Date.now() + hour)) < 100)
})
