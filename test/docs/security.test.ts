import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

test('every promise of SECURITY.md names tests that are there', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const [, promises = ''] = /\| Promise \| Test \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(text) ?? []
  const rows = promises.trim().split('\n')
  assert.ok(rows.length > 10)
  for (const row of rows) {
    const names = (row.split('|')[2] as string).trim().split(', ')
    for (const name of names)
      assert.ok(existsSync(join(root, 'test', `${name}.test.ts`)), `${name}, of ${row}`)
  }
})
