import assert from 'node:assert/strict'
import { test } from 'vitest'
import { exportedNames, undocumented } from './documented.ts'

test('every export of the package, and every public member of one, has a doc comment', () => {
  const names = exportedNames()
  assert.ok(names.length > 200)
  assert.deepEqual(names.flatMap(undocumented), [])
})
