import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { keyOf, subjectOf, subjectsBelow } from '../../../src/store/drivers/nats/subject.ts'

describe('a key reads on NATS as', () => {
  const rows: readonly [string, string][] = [
    ['tasks/task/01J', '$KV.tasks.task.01J'],
    ['tasks/idem/order-123', '$KV.tasks.idem.order-123'],
    ['ns/with space', '$KV.ns.with=20space'],
    ['ns/a.b', '$KV.ns.a=2Eb'],
    ['ns/*', '$KV.ns.=2A'],
    ['ns/>', '$KV.ns.=3E'],
    ['ns/a=b', '$KV.ns.a=3Db'],
    ['ns/é', '$KV.ns.=C3=A9'],
  ]
  for (const [key, subject] of rows)
    test(`${key}: ${subject}`, () => {
      assert.equal(subjectOf(key), subject)
      assert.equal(keyOf(subject), key)
    })
})

test('every key comes back, and its subject is one that every tool for buckets takes', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/[/\p{Cc}]/u.test(text))
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const key = ['ns', ...segments].join('/')
      assert.match(subjectOf(key), /^\$KV\.ns\.[-/_=.a-zA-Z0-9]+$/)
      assert.equal(keyOf(subjectOf(key)), key)
    }),
  )
})

test('a prefix covers what is below it', () => {
  assert.equal(subjectsBelow('ns/a.b'), '$KV.ns.a=2Eb.>')
})
