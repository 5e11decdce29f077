import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('ut add', () => {
  test('prints the row of the task', async () => {
    const printed = await desk.ut('add', 'Buy milk', '-t', 'errand', '-t', 'shopping')
    assert.match(printed, /^[0-9a-f]{12} {2}Buy milk {2}\[errand,shopping\]\n$/)
  })

  test('joins words by spaces, and trims', async () => {
    assert.equal((await desk.add('Buy', 'oat', 'milk ')).text, 'Buy oat milk')
  })

  test('-t a,b is two tags; they are trimmed, lowercased, made NFC, and each kept once', async () => {
    const { tags } = await desk.add('x', '-t', 'Work, urgent', '--tag', 'WORK,cafe\u0301')
    assert.deepEqual(tags, ['work', 'urgent', 'caf\u00e9'])
  })

  test('--json answers kind task with the fields of the seed, in its order', async () => {
    const { v, kind, data, ...rest } = await desk.json('add', 'Buy milk', '-t', 'a')
    assert.deepEqual({ v, kind, rest }, { v: 1, kind: 'task', rest: {} })
    assert.deepEqual(Object.keys(data), ['id', 'text', 'done', 'tags', 'created'])
    assert.match(data.id, /^[0-9a-f]{128}$/)
    assert.match(data.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual([data.text, data.done, data.tags], ['Buy milk', false, ['a']])
  })

  test('- reads the text from stdin and drops a final newline', async () => {
    const { exit } = await desk.run(['add', '-'], { stdin: '`a`\n\tb\n' })
    assert.equal(exit, 0)
    assert.equal((await desk.json('ls')).data[0].text, '`a`\n\tb')
  })

  test('--quiet prints nothing', async () => {
    assert.equal(await desk.ut('add', 'x', '--quiet'), '')
    assert.equal((await desk.lines('ls')).length, 1)
  })

  test('-- stands before a text that starts with a dash', async () => {
    assert.match(await desk.ut('add', '--', '-5', 'degrees'), / {2}-5 degrees\n$/)
  })
})
