import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import MersenneTwister from 'mersenne-twister'
import { describe, test } from 'vitest'
import {
  checkPrefix,
  checkTags,
  checkText,
  InvalidTaskError,
  parseTags,
} from '../../src/list/internal.ts'
import { idsFor, macAddress } from '../../src/list/new-ids.ts'
import { checkTag } from '../../src/list/tags.ts'
import { edited, inOrder, matches, type Task, taskCodec } from '../../src/list/task.ts'
import { anyCharacter } from '../characters.ts'

const task: Task = {
  id: 'a'.repeat(128),
  text: 'Buy milk',
  done: false,
  tags: ['errand', 'shopping'],
  created: '2025-08-26T13:40:00.123Z',
}

const refused = (call: () => unknown, words: RegExp) =>
  assert.throws(call, (error) => error instanceof InvalidTaskError && words.test(error.message))

describe('texts', () => {
  const kept: Readonly<Record<string, string>> = {
    '  Buy milk \n': 'Buy milk',
    'two\nlines\tand a tab': 'two\nlines\tand a tab',
    'Windows\r\nlines': 'Windows\nlines',
    '牛奶 🥛': '牛奶 🥛',
  }
  for (const [given, text] of Object.entries(kept))
    test(`${JSON.stringify(given)} is kept as ${JSON.stringify(text)}`, () =>
      assert.equal(checkText(given), text))

  test('nothing but white space is refused', () => refused(() => checkText(' \n\t '), /empty/))
  test('exactly 64 KiB are allowed, one byte more is refused by name of the limit', () => {
    assert.equal(checkText('x'.repeat(65_536)).length, 65_536)
    refused(() => checkText('x'.repeat(65_537)), /65537 bytes.*64 KiB/)
    refused(() => checkText('é'.repeat(32_769)), /64 KiB/)
  })
  for (const control of ['\0', '\x1b', '\x07', '\r', '\x7f', '\x85'])
    test(`the control character ${JSON.stringify(control)} is refused`, () =>
      refused(() => checkText(`a${control}b`), /control character U\+/))
  test('half a surrogate pair is refused', () => refused(() => checkText('a\ud800b'), /Unicode/))
  test('what is no string is refused', () =>
    refused(() => checkText(undefined as unknown as string), /no string/))
})

describe('tags', () => {
  const kept: Readonly<Record<string, string>> = {
    ' Errand ': 'errand',
    ÄRGER: 'ärger',
    'e\u0301te\u0301': 'été',
    'a/b': 'a/b',
    'a+b-c': 'a+b-c',
    '.': '.',
    '100%': '100%',
    '🥛': '🥛',
  }
  for (const [given, tag] of Object.entries(kept))
    test(`${JSON.stringify(given)} is kept as ${JSON.stringify(tag)}`, () =>
      assert.equal(checkTag(given), tag))

  const bad: Readonly<Record<string, RegExp>> = {
    '': /empty/,
    '  ': /empty/,
    'two words': /white space/,
    'line\nbreak': /control character U\+000A/,
    'no\u00a0break': /white space/,
    'a,b': /comma/,
    '+plus': /starts with \+/,
    '-minus': /starts with -/,
    'bell\x07': /control character U\+0007/,
    ['x'.repeat(65)]: /65 characters.*64 characters/,
    '\ud800': /Unicode/,
  }
  for (const [given, words] of Object.entries(bad))
    test(`${JSON.stringify(given).slice(0, 30)} is refused`, () =>
      refused(() => checkTag(given), words))

  test('64 characters are allowed, and 200 bytes', () => {
    assert.equal(checkTag('x'.repeat(64)).length, 64)
    assert.equal(checkTag('é'.repeat(64)).length, 64)
    refused(() => checkTag('🥛'.repeat(51)), /204 bytes.*200 bytes/)
  })
  test('duplicates merge, and the order is kept', () =>
    assert.deepEqual(checkTags(['Work', 'urgent', 'WORK']), ['work', 'urgent']))
  test('a list is split at commas', () => assert.deepEqual(parseTags('b, a,B'), ['b', 'a']))
  test('an empty tag in a list is refused', () => refused(() => parseTags('a,,b'), /empty/))
  test('what is normalised stays so', () =>
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 70 }), (given) => {
        let tag: string
        try {
          tag = checkTag(given)
        } catch {
          return
        }
        assert.equal(checkTag(tag), tag)
        const tagged = { ...task, tags: [tag] }
        assert.deepEqual(taskCodec.decode(taskCodec.encode(tagged), task.id), tagged)
      }),
    ))
})

describe('ids', () => {
  test('the twister is MT19937 seeded by array', () => {
    const twister = new MersenneTwister([0x123, 0x234, 0x345, 0x456])
    assert.deepEqual(
      Array.from({ length: 5 }, () => twister.random_int()),
      [1067595299, 955945823, 477289528, 4107218783, 4228976476],
    )
  })

  test('an id is the SHA-512 of time, text and a nonce of four outputs, little-endian', () => {
    const createdMs = Date.parse(task.created)
    const mac = 0x0242ac110002n
    const [first, second] = idsFor({ createdMs, created: task.created, text: task.text, mac })
    const twister = new MersenneTwister([
      createdMs % 2 ** 32,
      Math.floor(createdMs / 2 ** 32),
      0xac110002,
      0x0242,
    ])
    for (const id of [first, second]) {
      const nonce = Buffer.alloc(16)
      for (let at = 0; at < 16; at += 4) nonce.writeUInt32LE(twister.random_int(), at)
      const bytes = Buffer.concat([Buffer.from(`${task.created}\n${task.text}\n`), nonce])
      assert.equal(id, createHash('sha512').update(bytes).digest('hex'))
    }
    assert.notEqual(first, second)
  })

  test('the address of the host has at most 48 bits', () => assert.ok(macAddress() < 2n ** 48n))

  for (const good of ['a', '2F8C', 'f'.repeat(128)])
    test(`${good.slice(0, 8)} is a prefix`, () =>
      assert.equal(checkPrefix(good), good.toLowerCase()))
  for (const bad of ['', 'xyz', '2f8g', 'f'.repeat(129), 'a b', '2f8c/..'])
    test(`${JSON.stringify(bad.slice(0, 10))} of ${bad.length} characters is none`, () =>
      refused(() => checkPrefix(bad), /hex digits/))
})

describe('tasks', () => {
  test('an edit changes what it names', () => {
    assert.deepEqual(edited(task, { text: 'Buy oat milk' }), { ...task, text: 'Buy oat milk' })
    assert.deepEqual(edited(task, { tags: ['x'] }).tags, ['x'])
    assert.deepEqual(edited(task, { tags: [] }).tags, [])
    assert.deepEqual(edited(task, { tags: { add: ['x', 'errand'], remove: ['shopping'] } }).tags, [
      'errand',
      'x',
    ])
  })
  test('an edit that changes nothing gives the very same task', () => {
    assert.equal(edited(task, {}), task)
    assert.equal(edited(task, { text: task.text, done: false, tags: [...task.tags] }), task)
    assert.equal(edited(task, { tags: { add: ['errand'], remove: ['none'] } }), task)
  })
  test('ANY is a union, ALL an intersection; together both must hold', () => {
    const rows: [Parameters<typeof matches>[1], boolean][] = [
      [{}, true],
      [{ any: ['errand', 'none'] }, true],
      [{ any: ['none'] }, false],
      [{ all: ['errand', 'shopping'] }, true],
      [{ all: ['errand', 'none'] }, false],
      [{ any: ['errand'], all: ['none'] }, false],
      [{ any: ['none'], all: ['errand'] }, false],
      [{ done: true }, false],
      [{ done: false, all: ['errand'] }, true],
    ]
    for (const [filter, expected] of rows) assert.equal(matches(task, filter), expected)
  })
  test('they are ordered by time, then by id', async () => {
    const later = { ...task, created: '2025-08-26T13:40:00.124Z', id: '0'.repeat(128) }
    const twin = { ...task, id: 'b'.repeat(128) }
    const whole = { ...task, created: '2025-08-26T13:40:00Z' }
    assert.deepEqual(await inOrder([later, twin, task, whole]), [whole, task, twin, later])
  })
  test('they are JSON with the five fields in order', () =>
    assert.equal(
      new TextDecoder().decode(taskCodec.encode(task)),
      `{"id":"${task.id}","text":"Buy milk","done":false,"tags":["errand","shopping"],"created":"2025-08-26T13:40:00.123Z"}`,
    ))
  const broken: Readonly<Record<string, string>> = {
    'no JSON': '{"id":',
    'no object': '[]',
    'another id': JSON.stringify({ ...task, id: 'b'.repeat(128) }),
    'no text': JSON.stringify({ ...task, text: 1 }),
    'no done': JSON.stringify({ ...task, done: 'no' }),
    'no tags': JSON.stringify({ ...task, tags: 'errand' }),
    'an endless tag': JSON.stringify({ ...task, tags: ['x'.repeat(600)] }),
    'no time': JSON.stringify({ ...task, created: 'yesterday' }),
  }
  for (const [name, json] of Object.entries(broken))
    test(`${name} is corrupt`, () =>
      assert.throws(() => taskCodec.decode(new TextEncoder().encode(json), task.id)))
})
