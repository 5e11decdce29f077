import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { blocksOf } from './page.ts'
import { Ids, isShown, stepsOf } from './transcript.ts'

const rows: readonly [string, string, string, boolean][] = [
  ['the same', 'Buy milk', 'Buy milk', true],
  ['another word', 'Buy milk', 'Buy beer', false],
  ['more than is shown', 'Buy milk', 'Buy milk\nBuy beer', false],
  ['less than is shown', 'Buy milk\nBuy beer', 'Buy milk', false],
  ['another id', '2f8c8a3c9a12  Buy milk', 'abcdefabcdef  Buy milk', true],
  ['no id', '2f8c8a3c9a12  Buy milk', 'none  Buy milk', false],
  ['another id in short', 'id 2f8c8a3c9a1204...b6aa', 'id 00000000000000...cafe', true],
  ['another time', 'at 2026-11-15T19:37:47.814Z', 'at 2027-01-01T00:00:00Z', true],
  ['another column', 'a   b', 'a b', true],
  ['another worker', 'by laptop-4711-a4fb4d', 'by my-own-host-12-abcdef', true],
  ['another port', 'at http://127.0.0.1:7700/docs', 'at http://127.0.0.1:38565/docs', true],
  ['anything in a line', 'a … c', 'a b c', true],
  ['nothing but another end', 'a … c', 'a b d', false],
  ['any lines', 'a\n…\nd', 'a\nb\nc\nd', true],
  ['any lines before', '…\nd', 'a\nb\nd', true],
  ['characters that mean something', 'a.c (b)', 'abc (b)', false],
]

describe('what is printed is as it is shown', () => {
  for (const [name, shown, printed, isSo] of rows)
    test(`${name}: ${isSo ? 'yes' : 'no'}`, () => assert.equal(isShown(shown, printed), isSo))
})

test('ids of a run stand for those of the page, also by their starts', () => {
  const ids = new Ids()
  ids.learn('2f8c8a3c9a12  Buy milk', '0123456789ab  Buy milk')
  ids.learn(
    'Task 7019a8c3-1f20-8b1e-9d3c-5a6f00112233',
    'Task 11111111-2222-3333-4444-555555555555',
  )
  assert.equal(ids.inCommand('ut done 2f8c8a'), 'ut done 012345')
  assert.equal(
    ids.inCommand('qo status 7019a8c3'),
    'qo status 11111111-2222-3333-4444-555555555555',
  )
  assert.equal(ids.inCommand('ut done ffff00'), 'ut done ffff00')
})

test('a console shows commands and what they print, sh commands alone, unless a comment has an id', () => {
  assert.deepEqual(stepsOf('console', '$ ut add "Buy"\nok\n\n$ ut\n'), [
    { command: 'ut add "Buy"', shown: 'ok' },
    { command: 'ut', shown: null },
  ])
  assert.deepEqual(stepsOf('sh', 'ut   # what is open\n\nut add x   # 2f8c8a3c9a12  x\n'), [
    { command: 'ut   # what is open', shown: null },
    { command: 'ut add x   # 2f8c8a3c9a12  x', shown: '2f8c8a3c9a12  x' },
  ])
})

test('blocks of a page have their language and line', () => {
  const text = 'a\n\n```sh\nut\n```\n\n```\npicture\n```\n'
  assert.deepEqual(blocksOf(text), [
    { language: 'sh', code: 'ut\n', line: 3 },
    { language: '', code: 'picture\n', line: 7 },
  ])
})
