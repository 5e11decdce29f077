import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { folderOf, keyOf, nameOf } from '../../../src/store/drivers/s3/names.ts'
import { checkKey, compareKeys } from '../../../src/store/index.ts'
import { sized } from '../../size.ts'

/** Few characters, the ones that matter, so that keys begin alike and differ late. */
const odd = fc.constantFrom(' ', '!', '"', '#', '-', '.', '/', '0', '4', 'e', '~', 'é', '日', '😀')
const segment = fc
  .oneof(
    fc.string({ unit: odd, minLength: 1, maxLength: 6 }),
    fc
      .tuple(fc.integer({ min: 236, max: 245 }), fc.string({ unit: odd, maxLength: 6 }))
      .map(([count, tail]) => 'k'.repeat(count) + tail),
    fc.string({ unit: odd, minLength: 100, maxLength: 400 }),
    fc.constantFrom('holdfast', 'tasks', 'xl.meta'),
  )
  .map((text) => text.replaceAll('/', '_'))
const key = fc
  .tuple(fc.constantFrom('qo', 'ns'), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([namespace, segments]) => [namespace, ...segments].join('/'))
  .filter(isKey)

function isKey(text: string): boolean {
  try {
    checkKey(text)
    return true
  } catch {
    return false
  }
}

describe('the name of an object', () => {
  test('is the key itself for all that the queue keeps', () => {
    for (const name of [
      'tasks/0/0f3e4a52-0000-8000-8000-000000000000.json',
      'ready/a/0029000000/0f3e4a52-0000-8000-8000-000000000000',
      'workers/my host 7.json',
      'data/0f3e/input "1"!',
      'ui/index.html',
    ])
      assert.equal(nameOf(`qo/${name}`), name)
    assert.equal(folderOf('qo/tasks/0'), 'tasks/0/')
  })

  test('lies below holdfast/ for all others, readable', () => {
    assert.equal(nameOf('np/s/1/meta'), 'holdfast/np/s/1/meta!')
    assert.equal(nameOf('np/s/1/meta/evt_seq'), 'holdfast/np/s/1/meta/evt_seq!')
    assert.equal(nameOf('ns/with space'), 'holdfast/ns/with"4space!')
    assert.equal(nameOf('qo/holdfast/x'), 'holdfast/qo/x!')
    assert.equal(folderOf('np/s/1'), 'holdfast/np/s/1/')
  })

  test('leads back to its key', () => {
    fc.assert(
      fc.property(key, (each) => assert.equal(keyOf(nameOf(each)), each)),
      { numRuns: sized(700, 2000) },
    )
  })

  test('sorts as its key, within the root and within the folder', () => {
    const section = (each: string) => /^(?:(qo)\/(holdfast\/)?|ns\/)/.exec(each)?.[0]
    fc.assert(
      fc.property(key, key, (a, b) => {
        fc.pre(section(a) === section(b))
        const byName = Math.sign(compareKeys(nameOf(a), nameOf(b)))
        assert.equal(byName, Math.sign(compareKeys(a, b)))
      }),
      { numRuns: sized(1500, 5000) },
    )
  })

  test('begins with the folder of every prefix of its key, and only of those', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const prefix = b.slice(0, b.lastIndexOf('/'))
        fc.pre(prefix.includes('/'))
        const isInside = nameOf(a).startsWith(folderOf(prefix))
        assert.equal(isInside, a.startsWith(`${prefix}/`))
      }),
      { numRuns: sized(700, 2000) },
    )
  })

  test('has parts that MinIO takes, and never hides another', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        assert.ok(Buffer.byteLength(nameOf(a)) <= 800)
        for (const part of nameOf(a).split('/')) assert.ok(Buffer.byteLength(part) <= 255)
        if (a.startsWith('ns/')) assert.ok(!nameOf(b).startsWith(`${nameOf(a)}/`))
      }),
      { numRuns: sized(700, 2000) },
    )
  })

  test('of another program has no key', () => {
    for (const name of ['README.md', 'a//b', 'dir/', 'holdfast/ns/x', 'holdfast/.store/probe.json'])
      assert.equal(keyOf(name), null)
    assert.equal(keyOf(`tasks/${'x'.repeat(300)}`), null)
    assert.equal(keyOf('tasks/0/by-hand.json'), 'qo/tasks/0/by-hand.json')
  })
})
