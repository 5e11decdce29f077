import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ulid } from 'ulid'
import { describe, test } from 'vitest'
import { contentType, stamp, unstamp } from '../../../src/store/drivers/s3/body.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array): string => new TextDecoder().decode(value)
const id = ulid()

const assertKept = (value: Uint8Array): void => {
  const body = stamp(value, ulid())
  assert.deepEqual(unstamp(body), value)
  assert.notDeepEqual(stamp(value, ulid()), body)
  assert.ok(body.byteLength > 0)
}

describe('the body of an object', () => {
  test('carries the id as the last member of a JSON object, else as a first line', () => {
    const stamped = (value: string) => text(stamp(bytes(value), id))
    assert.equal(stamped('{"a":1}'), `{"a":1,"_w":"${id}"}`)
    assert.equal(stamped('{}'), `{"_w":"${id}"}`)
    assert.equal(stamped('{ "a": 1 }\n'), `{ "a": 1 ,"_w":"${id}"}\n`)
    assert.equal(stamped('[1]'), `w:${id}\n[1]`)
    assert.equal(stamped('{"a":'), `w:${id}\n{"a":`)
    assert.equal(stamped(''), `w:${id}\n`)
  })

  test('gives values back that look as if they had an id', () => {
    const own = ulid()
    for (const value of [
      `{"a":1,"_w":"${own}"}`,
      `{"_w":"${own}"}`,
      `{ "_w":"${own}" }`,
      `w:${own}\n`,
      `w:${own}\nw:${own}\n{"a":1}`,
      `{"_w":"${own}"`,
      `{"a":{"_w":"${own}"}}`,
      '{\t}',
      '{}{}',
      '{"a":1}}',
    ])
      assertKept(bytes(value))
  })

  test('of another tool is the value itself', () => {
    for (const value of ['{"a":1}', 'plain', 'w:short\n', '{"_w":"x"}', `{"a":1,"_w":"${id}x"}`])
      assert.equal(text(unstamp(bytes(value))), value)
  })

  test('keeps every value byte for byte', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), assertKept))
    const space = fc.constantFrom('', ' ', '\n', '\t \r\n')
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), space, (value, indent, end) =>
        assertKept(bytes(JSON.stringify(value, null, indent) + end)),
      ),
    )
    fc.assert(
      fc.property(object, (value) =>
        assertKept(new Uint8Array(stamp(bytes(JSON.stringify(value)), id))),
      ),
    )
  })

  test('has a type that browsers know', () => {
    assert.match(contentType('qo/ui/index.html', bytes('<')), /^text\/html/)
    assert.equal(contentType('qo/tasks/0/x.json', bytes('{')), 'application/json')
    assert.equal(contentType('ns/x', bytes('{}')), 'application/json')
    assert.equal(contentType('ns/x.constructor', bytes('x')), 'application/octet-stream')
  })
})
