import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, idFrom, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('rows', () => {
  test('ids are 12 digits, longer where 12 are ambiguous, also with what is not shown; columns are aligned', async () => {
    await desk.putTask({ id: idFrom('2f8c8a3c9a12c7'), text: 'One', tags: ['a'] })
    await desk.putTask({ id: idFrom('2f8c8a3c9a12c8'), text: 'Two', tags: ['b'] })
    await desk.putTask({ id: idFrom('c9dd8f01a2ff'), text: 'Three', tags: ['c'] })
    assert.deepEqual(await desk.lines('ls'), [
      '2f8c8a3c9a12c7  One    [a]',
      '2f8c8a3c9a12c8  Two    [b]',
      'c9dd8f01a2ff    Three  [c]',
    ])
    await desk.ut('rebuild-index')
    assert.deepEqual(await desk.lines('ls', '--any', 'a'), ['2f8c8a3c9a12c7  One  [a]'])
  })

  test('columns are aligned by what a terminal shows, not by characters', async () => {
    const texts = ['買う', 'Käse', 'e\u0301te\u0301', '👩‍👩‍👧 x', 'plain']
    for (const [at, text] of texts.entries())
      await desk.putTask({ id: idFrom(`${at}`), text, tags: ['t'] })
    assert.deepEqual(
      (await desk.lines('ls')).map((line) => line.slice(14)),
      ['買う   [t]', 'Käse   [t]', 'e\u0301te\u0301    [t]', '👩‍👩‍👧 x   [t]', 'plain  [t]'],
    )
  })

  test('one giant text does not push the tags of the others away', async () => {
    const giant = 'x'.repeat(10_000)
    await desk.add(giant, '-t', 'big')
    await desk.add('small', '-t', 'little')
    await desk.add('y'.repeat(80), '-t', 'wide')
    const [first, second, third] = await desk.lines('ls')
    assert.ok(first?.endsWith(`${giant}  [big]`))
    assert.equal(second?.indexOf('[little]'), third?.indexOf('[wide]'))
    assert.equal(second?.indexOf('[little]'), 12 + 2 + 80 + 2)
  })

  test('a text of several lines shows its first and …; tabs become spaces', async () => {
    await desk.add('one\ntwo', '-t', 'a')
    await desk.add('tab\there')
    const [first, second] = await desk.lines('ls')
    assert.equal(first?.slice(14), 'one…      [a]')
    assert.equal(second?.slice(14), 'tab here')
  })

  test('no line ends with spaces', async () => {
    await desk.add('short')
    await desk.add('somewhat longer', '-t', 'a')
    for (const line of await desk.lines('ls')) assert.equal(line, line.trimEnd())
  })

  test('control characters of foreign documents do not reach a terminal', async () => {
    const evil = '\u001b]0;owned\u0007\u009b31m\u0000\u007f\rover'
    await desk.putTask({ id: idFrom('a'), text: evil, tags: [`t\u001b[2J`] })
    for (const args of [['ls'], ['show', 'a'], ['done', 'a'], ['undone', 'a'], ['ls', '--json']])
      assert.doesNotMatch(await desk.ut(...args), /[^\P{Cc}\n]/u)
    assert.match(
      await desk.ut('ls'),
      /\\x1b\]0;owned\\x07\\x9b31m\\x00\\x7f\\x0dover {2}\[t\\x1b\[2j\]/,
    )
  })

  test('fields that another program added are not shown', async () => {
    const id = idFrom('b')
    await desk.putTask({ id, ...({ priority: 1 } as object) })
    assert.equal((await desk.json('ls')).data[0].priority, undefined)
  })
})
