import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { oneLine, printable, printableJson, printableLines } from '../../src/terminal/index.ts'
import { anyCharacter } from '../characters.ts'
import { unseenIn } from './unseen.ts'

describe('printable', () => {
  const shown: Readonly<Record<string, string>> = {
    'plain text': 'plain text',
    'Käse ☕ 買う': 'Käse ☕ 買う',
    '\u001b]0;title\u0007': '\\x1b]0;title\\x07',
    '\u009b31m': '\\x9b31m',
    'a\u0000b\u007f': 'a\\x00b\\x7f',
    'a\rb': 'a\\x0db',
    'a\u2028b': 'a\\u2028b',
    'pay\u202ecod.exe\u202c': 'pay\\u202ecod.exe\\u202c',
    'a\u2066b\u2069': 'a\\u2066b\\u2069',
    'half \ud800': 'half \ufffd',
    'a\u200eb\u200fc\u061cd': 'a\\u200eb\\u200fc\\u061cd',
    'run\u{e0072}\u{e006d}': 'run\\u{e0072}\\u{e006d}',
    'a\u{e0100}b\u{e01ef}': 'a\\u{e0100}b\\u{e01ef}',
    'pay\u200bpal, pay\u200cpal, pay\u200dpal': 'pay\\u200bpal, pay\\u200cpal, pay\\u200dpal',
    'soft\u00adhyphen \u2060\u2064\ufeff\u180e': 'soft\\xadhyphen \\u2060\\u2064\\ufeff\\u180e',
    'filled \u3164\u115f\uffa0': 'filled \\u3164\\u115f\\uffa0',
    'a\ufe0fb\ufe0e': 'a\\ufe0fb\\ufe0e',
  }
  for (const [text, expected] of Object.entries(shown))
    test(JSON.stringify(text), () => assert.equal(printable(text), expected))

  /** What can't be written without a character that nobody sees. */
  const written = {
    'a family': '👩‍👩‍👧',
    'a profession with a color of skin': '👩🏽‍🚀',
    'a heart that is no text': '❤️ ✔︎',
    'a rainbow flag': '🏳️‍🌈',
    'a keycap': '1️⃣ #️⃣',
    Persian: 'می‌خواهم',
    Hindi: 'क्‍ष क्‌ष',
    'Malayalam, at the end of a word': 'അവന്‍ വന്നു',
    Mongolian: 'ᠠ᠋ ᠭ',
    Hebrew: 'שלום',
  }
  for (const [what, text] of Object.entries(written))
    test(`${what} stays whole`, () => {
      assert.equal(printable(text), text)
      assert.equal(JSON.stringify({ text }), printableJson({ text }))
    })

  test('what is needed once hides nothing in a row', () => {
    assert.equal(printable('❤\ufe0f\ufe0f\ufe0e'), '❤\ufe0f\\ufe0f\\ufe0e')
    assert.equal(printable('क\u200d\u200d\u200c'), 'क\u200d\\u200d\\u200c')
    assert.equal(printable('👩\u200d\u200d👧'), '👩\\u200d\\u200d👧')
    assert.equal(printable('🏴\u{e0067}\u{e007f}'), '🏴\\u{e0067}\\u{e007f}')
  })

  test('newlines and tabs become spaces in one line', () =>
    assert.equal(oneLine('a\n  b\tc'), 'a b c'))

  test('one line is what a pattern makes of it, and takes no time for a text of blanks', () => {
    const blanks = fc.constantFrom(' ', '\n', '\t', '\r', '\u2003', 'a', 'b')
    fc.assert(
      fc.property(fc.string({ unit: blanks, maxLength: 20 }), (text) => {
        assert.equal(oneLine(text), printable(text.replaceAll(/\s*[\n\t]\s*/g, ' ')))
      }),
    )
    // With that pattern it took fifteen seconds.
    const wide = `a${' '.repeat(65_536)}b`
    assert.equal(oneLine(wide), wide)
  })

  test('lines and columns stay where there may be several', () =>
    assert.equal(printableLines('a\n\tb\r\u202e'), 'a\n\tb\\x0d\\u202e'))
})

test('of all characters, none that is obeyed or invisible gets through next to Latin letters', () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue
    const text = `a${String.fromCodePoint(point)}b`
    if (!/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text)) continue
    assert.deepEqual(unseenIn(printable(text)), [], point.toString(16))
    assert.deepEqual(unseenIn(printableJson(text)), [], point.toString(16))
  }
})

test('whatever the text: shown once it stays as it is, and as JSON it means the same', () => {
  fc.assert(
    fc.property(fc.array(anyCharacter, { maxLength: 30 }), (characters) => {
      const text = characters.join('')
      assert.equal(printable(printable(text)), printable(text))
      assert.deepEqual(JSON.parse(printableJson({ [text]: text })), { [text]: text })
    }),
  )
})
