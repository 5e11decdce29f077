import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type FaultOptions, Faults } from './faults.ts'

const kinds = ['a', 'b', 'c'] as const
type Kind = (typeof kinds)[number]

const faultsOf = (options: FaultOptions<Kind>) => new Faults<Kind, number>(kinds, options)
const drawn = (faults: Faults<Kind, number>, count = 1000) =>
  Array.from({ length: count }, (_, index) => faults.draw(index))

test('the share of faults is as asked, and all kinds come about as often', () => {
  const faults = faultsOf({ share: 0.3 })
  drawn(faults, 10_000)
  for (const kind of kinds)
    assert.ok(faults.counts[kind] > 900 && faults.counts[kind] < 1100, `${faults.counts[kind]}`)
})

test('the same seed gives the same faults, another one others', () => {
  const bySeed = (seed: number) => drawn(faultsOf({ share: 0.3, seed }))
  assert.deepEqual(bySeed(7), bySeed(7))
  assert.notDeepEqual(bySeed(7), bySeed(8))
})

test('only the kinds asked for come, and nothing by default', () => {
  assert.deepEqual(new Set(drawn(faultsOf({ share: 1, kinds: ['b'] }))), new Set(['b']))
  assert.deepEqual(new Set(drawn(faultsOf({}))), new Set([null]))
})

test('a planned fault waits for its request', () => {
  const faults = faultsOf({})
  faults.next('c', (request) => request === 2)
  faults.next('a')
  assert.deepEqual(drawn(faults, 4), ['a', null, 'c', null])
})
