import assert from 'node:assert/strict'
import { test } from 'vitest'
import { holdStderr } from '../../src/tui/held-stderr.ts'
import { Painter } from '../../src/tui/painter.ts'

function stage(size: { columns?: number; rows?: number; isTTY?: boolean } = {}) {
  const written: string[] = []
  const stream = {
    columns: 20,
    rows: 3,
    isTTY: true,
    ...size,
    write: (text: string) => written.push(text),
  }
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    taken: () => written.splice(0).join(''),
  }
}

test('only lines that have changed are painted, and what is gone is erased', () => {
  const { stream, taken } = stage()
  const painter = new Painter(stream)
  painter.paint('too early')
  assert.equal(taken(), '')
  painter.open()
  assert.equal(taken(), '\u001B[?1049h\u001B[?25l\u001B[2J')
  painter.paint('one\ntwo\nthree\nfour')
  assert.equal(taken(), '\u001B[1;1H\u001B[Kone\u001B[2;1H\u001B[Ktwo\u001B[3;1H\u001B[Kthree')
  painter.paint('one\n2\nthree')
  assert.equal(taken(), '\u001B[2;1H\u001B[K2')
  painter.paint('one\n2\nthree')
  assert.equal(taken(), '')
  painter.paint('one')
  assert.equal(taken(), '\u001B[2;1H\u001B[K\u001B[3;1H\u001B[K')
  painter.forget()
  painter.paint('one')
  assert.equal(taken(), '\u001B[2J\u001B[1;1H\u001B[Kone')
  painter.close()
  painter.close()
  assert.equal(taken(), '\u001B[0m\u001B[H\u001B[2J\u001B[?25h\u001B[?1049l')
})

test('a terminal that does not know its size is taken for a usual one', () => {
  assert.deepEqual(new Painter(stage({ columns: 0, rows: 0 }).stream).size, {
    columns: 80,
    rows: 24,
  })
})

test('what is written to stderr meanwhile appears at the end, each message once', () => {
  const { stream, taken } = stage()
  const release = holdStderr(stream)
  let isCalled = false
  for (const text of ['a\n', 'b\n', 'a\n']) stream.write(text)
  stream.write(Buffer.from('c\n'), () => {
    isCalled = true
  })
  assert.deepEqual([taken(), isCalled], ['', true])
  release()
  assert.equal(taken(), 'a\nb\nc\n')
  stream.write('d')
  assert.equal(taken(), 'd')
})

test('a stderr that goes elsewhere is left alone', () => {
  const { stream, taken } = stage({ isTTY: false })
  const release = holdStderr(stream)
  stream.write('a')
  assert.equal(taken(), 'a')
  release()
})
