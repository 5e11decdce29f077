import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'vitest'
import { keepTimes, lastTimes, type Times } from '../scripts/test-times.mjs'
import { mixed } from './order.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-order-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const times = (file: string, ms: number, processorMs: number): Times => ({ file, ms, processorMs })
const lines = (all: readonly Times[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('')

test('what waits runs among what works, the longest of both first', () => {
  const files = [
    times('works briefly', 1_000, 900),
    times('works for long', 9_000, 8_000),
    times('waits briefly', 2_000, 100),
    times('works', 2_000, 1_900),
    times('waits for long', 6_000, 200),
  ]
  assert.deepEqual(
    mixed(files).map(({ file }) => file),
    ['waits for long', 'works for long', 'waits briefly', 'works', 'works briefly'],
  )
})

test('each file runs once, whatever it took', () => {
  const files = Array.from({ length: 50 }, (_, n) => times(`${n}`, 1 + ((n * 37) % 11), n % 7))
  const names = (all: readonly Times[]) => all.map(({ file }) => file).sort()
  assert.deepEqual(names(mixed(files)), names(files))
  assert.deepEqual(mixed([]), [])
})

test('a run adds what it noted to what is known of the files that there are', () => {
  const [known, noted] = [join(folder, 'cache', 'times'), join(folder, 'noted')]
  const [one, other] = ['test/order.test.ts', 'test/exports.test.ts']
  keepTimes(noted, known)
  assert.deepEqual(lastTimes(known), [])
  writeFileSync(noted, lines([times(one, 5, 4), times(other, 7, 1), times('test/gone.ts', 1, 1)]))
  keepTimes(noted, known)
  writeFileSync(noted, lines([times(one, 6, 3)]))
  keepTimes(noted, known)
  assert.deepEqual(lastTimes(known), [times(one, 6, 3), times(other, 7, 1)])
})

for (const damage of ['{"file"', 'null', '[]', '{"file":"a","ms":"long","processorMs":1}'])
  test(`a damaged file of times is as good as none, and is replaced: ${damage}`, () => {
    const [known, noted] = [join(folder, 'times'), join(folder, 'noted')]
    const good = times('test/order.test.ts', 5, 4)
    writeFileSync(known, `${lines([good])}${damage}`)
    assert.deepEqual(lastTimes(known), [])
    writeFileSync(noted, lines([good]))
    keepTimes(noted, known)
    assert.deepEqual(lastTimes(known), [good])
  })
