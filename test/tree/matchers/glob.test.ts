import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { BadGlobError, compileGlob } from '../../../src/tree/matchers/index.ts'
import { isReferenceMatch } from './reference-glob.ts'

/** A pattern, the tags that it matches, and tags that it does not. */
const rules: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  // The examples of the specification.
  ['auth*', ['auth', 'authentication', 'auth-service'], ['oauth', 'auth/x', 'Auth', 'aut']],
  ['area/**', ['area/frontend', 'area/backend/api', 'area'], ['areas', 'area2/x', 'my/area/x']],
  ['security', ['security'], ['Security', 'security ', 'security/x', 'x/security', '']],
  ['[abc]x', ['ax', 'bx', 'cx'], ['dx', 'x', 'abx', 'Ax']],
  ['[a-z]1', ['a1', 'm1', 'z1'], ['A1', '11', '1']],
  ['{foo,bar}', ['foo', 'bar'], ['foobar', 'foo,bar', '{foo,bar}', 'fo']],
  ['{bug,fix}*', ['bug', 'bugfix', 'fix', 'fix-auth'], ['a-bug', 'bug/x']],
  // One star, one question mark.
  ['*', ['a', 'abc', '', '.hidden', '..'], ['a/b', '/', 'a/']],
  ['*/*', ['a/b', 'a/', '/'], ['a', 'a/b/c']],
  ['a*b*c', ['abc', 'aXbYc', 'abbc', 'abcbc'], ['ab', 'acb', 'ab/c']],
  ['a?c', ['abc', 'a?c', 'a😀c', 'aéc'], ['ac', 'a/c', 'abbc']],
  ['???', ['abc', '😀😀😀'], ['ab', 'abcd']],
  // Two stars cross slashes only where they stand alone.
  ['**', ['', 'a', 'a/b', 'a/b/c', './a', 'a/../b', '/'], []],
  ['**/api', ['api', 'a/api', 'a/b/api'], ['apis', 'a/api/b', 'myapi']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z', 'a//z'], ['az', 'a/bz', 'a/z/b', 'b/a/z']],
  ['a/**/**/z', ['a/z', 'a/b/z'], ['az']],
  ['**/b/**', ['b', 'a/b', 'a/b/c', 'b/c'], ['a', 'ab/c']],
  ['a**z', ['az', 'abz'], ['a/z', 'a/b/z']],
  ['***', ['a', 'abc'], ['a/b']],
  ['a/**b', ['a/b', 'a/xb'], ['a/x/b', 'ab']],
  // Classes.
  ['[!a]', ['b', 'A', '😀', '!'], ['a', '/', '', 'bb']],
  ['[^a-c]', ['d', '^'], ['a', 'b', '/']],
  ['[a^]', ['a', '^'], ['b']],
  ['[a!]', ['a', '!'], ['b']],
  ['[-a]', ['-', 'a'], ['b']],
  ['[a-]', ['-', 'a'], ['b']],
  ['[a-c-e]', ['a', 'b', 'c', '-', 'e'], ['d']],
  ['[\\]a]', [']', 'a'], ['\\', '[']],
  ['[\\-x]', ['-', 'x'], ['\\', 'y']],
  ['[A-\\]]', ['A', 'Z', '\\', ']'], ['a', '^']],
  ['[[]', ['['], [']', '']],
  ['[[:alpha:]]', ['a]', ':]', '[]'], ['a', 'b', 'b]']],
  ['[*?{}]', ['*', '?', '{', '}'], ['a', '']],
  ['[a,b]', ['a', ',', 'b'], ['a,b']],
  ['[😀-😂]', ['😀', '😁', '😂'], ['😃', '\ud83d']],
  ['[α-ω]*', ['λ', 'ωmega'], ['Λ', 'a']],
  ['[a/b]', ['a', 'b'], ['/']],
  ['[!/]', ['a', '.'], ['/', '']],
  ['[--9]', ['-', '.', '0', '9'], ['/', ',']],
  ['[+-/]', ['+', ',', '.'], ['/', '0']],
  ['[/-9]', ['0', '9'], ['/', '.']],
  // Braces.
  ['{a}', ['a'], ['{a}']],
  ['{}', [''], ['{}']],
  ['x{}', ['x'], ['x{}']],
  ['{,a}b', ['b', 'ab'], ['{,a}b']],
  ['a{,/**}', ['a', 'a/b', 'a/b/c'], ['ab']],
  ['{a,b/{c,d}}e', ['ae', 'b/ce', 'b/de'], ['be', 'b/e', 'ce']],
  ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd'], ['ab', 'cd']],
  ['{*.ts,**/x}', ['a.ts', 'x', 'a/b/x'], ['a/b.ts']],
  ['{[,],x}', [',', 'x'], ['[', ']']],
  ['{a\\,b,c}', ['a,b', 'c'], ['a', 'b']],
  ['{a\\},b}', ['a}', 'b'], ['a']],
  ['{1..3}', ['1..3'], ['1', '2', '3']],
  // What other globs know, and these do not.
  ['!a', ['!a'], ['a', 'b']],
  ['#a', ['#a'], ['a']],
  ['@(a|b)', ['@(a|b)'], ['a', 'b']],
  ['+(a)', ['+(a)'], ['a', 'aa']],
  ['?(a)', ['x(a)'], ['a', '']],
  ['(a|b)', ['(a|b)'], ['a']],
  ['!(a)', ['!(a)'], ['b']],
  ['a,b', ['a,b'], ['a', 'b']],
  ['a]', ['a]'], ['a']],
  ['~', ['~'], ['']],
  ['$a.b^+', ['$a.b^+'], ['axb']],
  // Escapes.
  ['a\\*b', ['a*b'], ['ab', 'axb']],
  ['\\{a\\}', ['{a}'], ['a']],
  ['\\[a\\]', ['[a]'], ['a']],
  ['a\\b', ['ab'], ['a\\b']],
  ['\\\\', ['\\'], ['']],
  ['a\\/**', ['a', 'a/b'], ['ab']],
  // Case, and texts that programs trip over.
  ['ÄRA*', ['ÄRA1'], ['ära1']],
  ['__proto__', ['__proto__'], ['constructor', '']],
  ['constructor', ['constructor'], ['']],
  ['a b', ['a b'], ['a', 'ab']],
  ['/a', ['/a'], ['a']],
  ['a/', ['a/'], ['a']],
]

describe('patterns for tags', () => {
  for (const [pattern, good, bad] of rules)
    test(pattern, () => {
      const glob = compileGlob(pattern)
      assert.equal(glob.pattern, pattern)
      for (const tag of good) assert.equal(glob.matches(tag), true, `${pattern} matches "${tag}"`)
      for (const tag of bad) assert.equal(glob.matches(tag), false, `${pattern} and "${tag}"`)
    })
})

const malformed: Readonly<Record<string, RegExp>> = {
  '': /it is empty/,
  '[': /the \[ at 1 is not closed/,
  'a[b': /the \[ at 2 is not closed/,
  '[^': /the \[ at 1 is not closed/,
  '[a-': /the \[ at 1 is not closed/,
  '[a\\]': /the \[ at 1 is not closed/,
  '[\\': /the \[ at 1 is not closed/,
  '[a-\\': /the \[ at 1 is not closed/,
  '[]': /the \[ at 1 closes without a character/,
  '[]a]': /the \[ at 1 closes without a character/,
  '[!]': /the \[ at 1 closes without a character/,
  '[z-a]': /the \[ at 1 has the range z-a, which runs backwards/,
  '[/]': /holds nothing but a slash/,
  '{': /the \{ at 1 is not closed/,
  '{a,b': /the \{ at 1 is not closed/,
  'x{a,{b}': /the \{ at 2 is not closed/,
  '{a[}]': /the \{ at 1 is not closed/,
  '{a\\}': /the \{ at 1 is not closed/,
  'a}': /the \} at 2 closes no brace/,
  '{a}}': /the \} at 4 closes no brace/,
  'a\\': /the backslash at its end/,
  '{a\\': /the backslash at its end/,
}

describe('a bad pattern is refused, and told why', () => {
  for (const [pattern, why] of Object.entries(malformed))
    test(pattern || 'nothing', () => {
      assert.throws(
        () => compileGlob(pattern),
        (error) =>
          error instanceof BadGlobError && error.kind === 'invalid' && why.test(error.message),
      )
    })

  test('and what to do about it: one that is too long has nothing to close', () => {
    const nextOf = (pattern: string) => {
      try {
        compileGlob(pattern)
      } catch (error) {
        return (error as BadGlobError).next
      }
      return null
    }
    assert.match(nextOf('[a') as string, /^Close what is open/)
    for (const pattern of ['x'.repeat(1_001), '{a,b}'.repeat(20)])
      assert.equal(nextOf(pattern), 'Shorten it, or make several of it.')
  })

  test('a long one is cut in the message', () => {
    assert.throws(
      () => compileGlob(`[${'x'.repeat(900)}`),
      (error) => {
        assert.ok((error as Error).message.length < 250)
        return true
      },
    )
  })
})

const letter = fc.constantFrom('a', 'b', 'c', '-', '.', '!')
const member = fc.constantFrom(
  'a',
  'c',
  '.',
  '\\]',
  '\\-',
  '\\a',
  '[',
  '{',
  '}',
  ',',
  '*',
  '^',
  '!',
)
const range = fc.constantFrom('a-c', 'b-b', '+-.', 'a-\\c')
const classOf = fc
  .tuple(
    fc.constantFrom('[', '[!', '[^', '[-'),
    fc.constantFrom('a', 'b', '.', 'a-b'),
    fc.array(fc.oneof(member, range), { maxLength: 3 }),
    fc.constantFrom(']', '-]'),
  )
  .map(([start, first, members, end]) => `${start}${first}${members.join('')}${end}`)
const { pattern } = fc.letrec((tie) => ({
  atom: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    letter,
    fc.constantFrom('*', '**', '?', '/', '/**/', '/**', '**/', '\\*', '\\{', '\\a', '***'),
    classOf,
    fc
      .array(tie('sequence'), { minLength: 1, maxLength: 3 })
      .map((parts) => `{${parts.join(',')}}`),
  ),
  sequence: fc.array(tie('atom'), { maxLength: 4 }).map((atoms) => atoms.join('')),
  pattern: fc.array(tie('atom'), { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join('')),
}))
const tag = fc
  .array(fc.constantFrom('a', 'b', 'c', '-', '.', '!', '/', '*', '{', ']'), { maxLength: 7 })
  .map((characters) => characters.join(''))

/** The plain matcher takes for ever beyond this. */
const smallPattern = (pattern as fc.Arbitrary<string>).filter(
  (given) => given.length <= 40 && given.split('{').length <= 5,
)

test('a plain matcher that tries every way agrees on random patterns and tags', () => {
  let hits = 0
  const tags = fc.array(tag, { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(smallPattern, tags, (given, some) => {
      const glob = compileGlob(given)
      for (const each of some) {
        const expected = isReferenceMatch(given, each)
        assert.equal(glob.matches(each), expected, `${given} and "${each}"`)
        if (expected) hits++
      }
    }),
    { numRuns: 3_000 },
  )
  assert.ok(hits > 300, `${hits} matches are enough to mean something`)
})

test('whatever is typed is a pattern or a bad one, never another error', () => {
  const character = fc.constantFrom(...'[]{}(),*?\\!^-/a😀|@+:.', '\ud800', '\0')
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
      const text = characters.join('')
      try {
        assert.equal(typeof compileGlob(text).matches(text), 'boolean')
      } catch (error) {
        assert.ok(error instanceof BadGlobError, `${text}: ${error}`)
      }
    }),
    { numRuns: 5_000 },
  )
})
