import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { Bodies } from '../../src/tree/bodies.ts'

const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith('holdfast-bodies-'))

describe('the bodies that a feed remembers', () => {
  test('are those of a map, however few stay in memory', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const text = fc.oneof(
      fc.constant(null),
      fc.constant(''),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.nat({ max: 70_000 }).map((length) => 'é'.repeat(length)),
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(id, text), { maxLength: 60 }),
        fc.constantFrom(0, 10, 5_000, 1_000_000),
        (steps, bytesMax) => {
          using bodies = new Bodies(bytesMax)
          const wanted = new Map<string, string | null>()
          for (const [key, body] of steps) {
            bodies.keep(key, body)
            wanted.set(key, body)
            for (const [each, last] of wanted) assert.equal(bodies.of(each), last)
            assert.ok(bodies.memoryBytes <= bytesMax)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('take no more room in the file when they change, and leave no file', () => {
    const before = files()
    using bodies = new Bodies(0)
    for (let n = 0; n < 2_000; n++) bodies.keep(`task-${n % 10}`, `${n}`.padEnd(1_000 + (n % 50)))
    // Ten of each size that there was, for two megabytes that were written.
    assert.ok(bodies.fileBytes <= 10 * (1_024 + 2_048), String(bodies.fileBytes))
    const { fileBytes } = bodies
    for (let n = 0; n < 10; n++) bodies.keep(`task-${n}`, bodies.of(`task-${n}`))
    assert.equal(bodies.fileBytes, fileBytes)
    assert.deepEqual(files(), before)
  })

  test('stay in memory where no file can be written', () => {
    using bodies = new Bodies(0, '/nonexistent')
    bodies.keep('a', 'x')
    assert.equal(bodies.of('a'), 'x')
  })
})
