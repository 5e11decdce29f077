import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { BadGlobError, compileGlob, compileTagPattern } from '../../../src/tree/matchers/index.ts'
import { processorMs } from '../../rounds.ts'

/** Far more than any of these takes, and far less than one that explodes. */
const patienceMs = 5_000

const tag = 'a'.repeat(64)
const deepTag = `${'a/'.repeat(31)}aa`

/** Patterns that make a matcher hang which tries one way after the other. */
const allowed: Readonly<Record<string, string>> = {
  'many stars': `${'*a'.repeat(60)}b`,
  'many stars within stars': `${'a*'.repeat(400)}b`,
  'nothing but stars': `${'*'.repeat(999)}b`,
  'many double stars': `${'**/a/'.repeat(190)}b`,
  'nothing but double stars': `${'**/'.repeat(333)}b`.slice(0, 1000),
  'stars and double stars': `${'**/*a*a*/'.repeat(100)}b`,
  'braces in braces': `${'{'.repeat(499)}a${'}'.repeat(499)}`,
  'many braces of one': '{a}'.repeat(333),
  'stars in braces': `${'{*a,a*}'.repeat(8)}b`,
  'a long list of words': `{${Array.from({ length: 190 }, (_, index) => `t${index}`).join(',')}}`,
  'a class of many': `${'[!b-z]*'.repeat(100)}b`,
  'empty alternatives': `{${','.repeat(900)}}`,
}

const refused: Readonly<Record<string, string>> = {
  'a thousand braces': '{a,b}'.repeat(1_000),
  'as many braces as fit': '{a,b}'.repeat(200),
  'empty braces that multiply': '{,}'.repeat(300),
  'braces in braces that multiply': '{a,{b,{c,{d,e}}}}'.repeat(50),
  'a thousand and one characters': 'a'.repeat(1_001),
  'a million characters': '['.repeat(1_000_000),
  'a brace in a thousand': '{'.repeat(1_000),
  'few braces around much': `${'{a,b}'.repeat(9)}${'x'.repeat(900)}`,
}

function timed(work: () => void): void {
  const start = processorMs()
  work()
  const took = processorMs() - start
  assert.ok(took < patienceMs, `took ${took} ms`)
}

describe('no pattern takes long', () => {
  for (const [name, pattern] of Object.entries(allowed))
    test(name, () =>
      timed(() => {
        const glob = compileGlob(pattern)
        for (let times = 0; times < 10; times++) {
          glob.matches(tag)
          glob.matches(deepTag)
        }
      }),
    )

  for (const [name, pattern] of Object.entries(refused))
    test(`${name}: refused`, () =>
      timed(() => {
        assert.throws(() => compileGlob(pattern), BadGlobError)
        assert.throws(() => compileTagPattern(pattern), BadGlobError)
      }))

  test('the same work in many patterns of one filter: refused', () =>
    timed(() => {
      assert.throws(
        () => compileTagPattern(Array(10).fill('{a,b}'.repeat(8)).join(',')),
        BadGlobError,
      )
      assert.throws(() => compileTagPattern(','.repeat(1_000_000)), BadGlobError)
      assert.throws(() => compileTagPattern('a,'.repeat(4_000)), BadGlobError)
    }))

  test('a filter over many tasks remembers the tags it has seen', () => {
    const isMatch = compileTagPattern(`${'{*a,a*}'.repeat(8)}b`)
    const tags = Array.from({ length: 20 }, (_, index) => `${tag}${index}`)
    timed(() => {
      for (let task = 0; task < 20_000; task++) assert.equal(isMatch(tags), false)
    })
  })
})
