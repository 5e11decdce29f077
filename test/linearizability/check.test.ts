import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type CheckOptions, check } from './check.ts'
import { type History, historyOf, type Note, unknownsIn } from './history.ts'
import { reportOf } from './report.ts'
import { committed, conflict, got, listed, seenAs, unanswered, write } from './written.ts'

const verdictOf = (history: History, options?: CheckOptions) => check(history, options).type

const good: Record<string, History> = {
  'nothing at all': [],
  'one call after another': [
    committed([0, 1], write('a', null, 'x')),
    got([2, 3], 'a', 'x'),
    committed([4, 5], write('a', 'x', 'y')),
    conflict([6, 7], write('a', 'x', 'z')),
    committed([8, 9], write('a', 'y', null)),
    got([10, 11], 'a', null),
    committed([12, 13], write('a', null, 'again')),
  ],
  'a read during a write, of before and of after': [
    committed([0, 10], write('a', null, 'x')),
    got([1, 2], 'a', null),
    got([3, 4], 'a', 'x'),
  ],
  'answers at the moment of the next call count as concurrent': [
    committed([0, 5], write('a', null, 'x')),
    got([5, 6], 'a', null),
  ],
  'a conflict with what was there only in between': [
    committed([0, 1], write('a', null, 'x')),
    conflict([2, 9], write('a', null, 'y')),
    committed([3, 4], write('a', 'x', null)),
  ],
  'a lost answer of a write that happened': [
    unanswered(0, write('a', null, 'x')),
    got([5, 6], 'a', 'x'),
  ],
  'a lost answer of a write that did not happen': [
    unanswered(0, write('a', null, 'x')),
    got([5, 6], 'a', null),
    committed([7, 8], write('a', null, 'y')),
  ],
  'a write that happens long after its client has gone': [
    unanswered(0, write('a', null, 'x')),
    got([5, 6], 'a', null),
    got([7, 8], 'a', 'x'),
  ],
  'a conflict with a write that nobody saw': [
    unanswered(0, write('a', null, 'x')),
    conflict([5, 6], write('a', null, 'y')),
  ],
  'commits of several keys, one after the other': [
    committed([0, 9], write('a', null, 'x'), write('b', null, 'x')),
    got([1, 2], 'a', null),
    got([3, 4], 'b', 'x'),
    got([5, 6], 'a', 'x'),
    conflict([10, 11], write('a', 'x', 'y'), write('b', null, 'y')),
  ],
  'a list that shows each key at another moment': [
    committed([0, 1], write('a', null, 'x')),
    listed([2, 9], ['a', 'b'], seenAs('a', 'x'), seenAs('b', 'y')),
    committed([3, 4], write('a', 'x', null)),
    committed([5, 6], write('b', null, 'y')),
  ],
}

const bad: Record<string, History> = {
  'a stale read': [
    committed([0, 1], write('a', null, 'x')),
    committed([2, 3], write('a', 'x', 'y')),
    got([4, 5], 'a', 'x'),
  ],
  'a read of what is not there yet': [
    got([0, 1], 'a', 'x'),
    committed([2, 3], write('a', null, 'x')),
  ],
  'a lost write': [committed([0, 1], write('a', null, 'x')), got([2, 3], 'a', null)],
  'two that went through from one state': [
    committed([0, 1], write('a', null, 'x')),
    committed([2, 9], write('a', 'x', 'y')),
    committed([2, 9], write('a', 'x', 'z')),
  ],
  'a conflict with nobody': [
    committed([0, 1], write('a', null, 'x')),
    conflict([2, 3], write('a', 'x', 'y')),
    got([4, 5], 'a', 'x'),
  ],
  'half a commit': [
    committed([0, 1], write('a', null, 'x'), write('b', null, 'x')),
    got([2, 3], 'a', 'x'),
    got([4, 5], 'b', null),
  ],
  'the halves of a commit one after the other': [
    committed([0, 9], write('a', null, 'x'), write('b', null, 'x')),
    got([1, 2], 'a', 'x'),
    got([3, 4], 'b', null),
  ],
  'half of a commit whose answer was lost': [
    unanswered(0, write('a', null, 'x'), write('b', null, 'x')),
    got([2, 3], 'a', 'x'),
    got([4, 5], 'b', null),
  ],
  'a write without an answer that is undone again': [
    unanswered(0, write('a', null, 'x')),
    got([2, 3], 'a', 'x'),
    got([4, 5], 'a', null),
  ],
  'a value that nobody wrote': [got([0, 1], 'a', 'x')],
  'a key missing in a list': [committed([0, 1], write('a', null, 'x')), listed([2, 3], ['a'])],
  'a key that a list gives twice': [
    committed([0, 1], write('a', null, 'x')),
    listed([2, 3], ['a'], seenAs('a', 'x'), seenAs('a', 'x')),
  ],
  'a list out of order': [
    committed([0, 1], write('a', null, 'x'), write('b', null, 'x')),
    listed([2, 3], ['a', 'b'], seenAs('b', 'x'), seenAs('a', 'x')),
  ],
  'a removed key in a list': [
    committed([0, 1], write('a', null, 'x')),
    committed([2, 3], write('a', 'x', null)),
    listed([4, 5], ['a'], seenAs('a', 'x')),
  ],
}

describe('what one map could have answered is linearizable', () => {
  for (const [name, history] of Object.entries(good))
    test(name, () => assert.equal(reportOf(check(history)), 'linearizable'))
})

describe('what no map could have answered is not', () => {
  for (const [name, history] of Object.entries(bad))
    test(name, () => assert.match(verdictOf(history), /^(violation|flawed)$/))
})

describe('a store whose reads may be old', () => {
  const past = { reads: 'past' } as const
  const written = [
    committed([0, 1], write('a', null, 'x')),
    committed([2, 3], write('a', 'x', 'y')),
  ]

  test('shows what was there before', () => {
    assert.equal(verdictOf([...written, got([4, 5], 'a', 'x')], past), 'linearizable')
  })

  test('shows nothing from the future', () => {
    const early = [got([0, 1], 'a', 'y'), committed([2, 3], write('a', null, 'y'))]
    assert.equal(verdictOf(early, past), 'violation')
  })

  test('shows what is there once all is calm', () => {
    const history = [...written, got([4, 5], 'a', 'x')]
    assert.equal(verdictOf(history, { ...past, calmAt: 4 }), 'violation')
  })

  test('still has no key missing in a list that nobody touched meanwhile', () => {
    assert.equal(verdictOf([...written, listed([4, 5], ['a'])], past), 'flawed')
  })
})

describe('revisions', () => {
  const renamedTo = (revision: string) => ({ key: 'a', revision, value: 'y' })
  const made = [
    committed([0, 1], write('a', null, 'x')),
    committed([2, 3], write('a', 'x', null)),
    committed([4, 5], write('a', null, 'y')),
  ]
  const shown = (revision: string): History => [
    ...made,
    { ...got([6, 7], 'a', 'y'), outcome: { type: 'got', seen: renamedTo(revision) } },
  ]

  test('one that names a second state is reported', () => {
    assert.match(reportOf(check(shown('r-x'))), /the revision r-x of a names two states/)
  })

  test('one other than the answer had is reported', () => {
    assert.match(reportOf(check(shown('r-z'))), /was answered the revision r-y, and then shows r-z/)
  })
})

test('a search that takes too long is not passed', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const history = [
    ...keys.map((key) => committed([0, 9], write(key, null, key))),
    // So that they are one part, and can't be put in order.
    conflict([10, 11], ...keys.map((key) => write(key, key, null))),
  ]
  assert.equal(verdictOf(history), 'violation')
  assert.equal(verdictOf(history, { looksMax: 50 }), 'undecided')
})

test('a report shows the operation that nothing explains, and what led to it', () => {
  const history = bad['a stale read'] as History
  const report = reportOf(check(history))
  assert.match(report, /^No order explains/)
  assert.match(report, /^> +- +4\.\.5 +c\d+ +get a -> a@r-x=x$/m)
  assert.match(report, /^ +2 +2\.\.3 +c\d+ +commit a@r-x=y -> revisions r-y$/m)
})

describe('notes become operations', () => {
  const asked = (id: string): Note => ({ id, client: 'c', at: 1, call: { type: 'get', key: 'a' } })
  const tried = (id: string): Note => {
    const writes = [write('a', null, id)]
    return { id, client: 'c', at: 1, call: { type: 'commit', writes } }
  }

  test('with the time of the answer', () => {
    const answer: Note = { id: '1', at: 2, outcome: { type: 'got', seen: null } }
    const [operation] = historyOf([asked('1'), answer])
    assert.deepEqual([operation?.calledAt, operation?.returnedAt], [1, 2])
  })

  test('a commit without an answer may still happen, whether its client heard so or died', () => {
    const history = historyOf([tried('1'), tried('2'), { id: '1', at: 2, outcome: 'unknown' }])
    assert.equal(unknownsIn(history), 2)
  })

  test('what had no effect is left out, and so is a read without an answer', () => {
    assert.deepEqual(
      historyOf([tried('1'), asked('2'), { id: '1', at: 2, outcome: 'nothing' }]),
      [],
    )
  })
})
