import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { exitCodeOf } from '../../src/cli/exit-code.ts'
import { StoreError, type StoreErrorReason } from '../../src/store/index.ts'

/** Every reason there is: a new one does not compile until somebody has decided how programs end by it. */
const table: Readonly<Record<StoreErrorReason, number>> = {
  too_many_writes: 1,
  read_only: 4,
  newer_schema: 4,
  network_filesystem: 4,
  no_engine: 4,
  unsafe_server: 4,
  unversioned: 4,
  no_jetstream: 4,
  unknown_url: 2,
  foreign_file: 4,
  foreign_server: 4,
  missing_store: 4,
  bad_key: 2,
  too_large: 2,
  bad_option: 2,
  disk_full: 7,
  down: 7,
  locked: 7,
  permission: 4,
  contended: 7,
  lost_answer: 1,
  damaged: 1,
  disposed: 1,
}

describe('exitCodeOf', () => {
  for (const [reason, code] of Object.entries(table))
    test(`${reason} ends a program with ${code}`, () => {
      const error = new StoreError(reason as StoreErrorReason, 'What.', 'Next.')
      assert.equal(exitCodeOf(error), code)
    })

  test('whatever is no StoreError ends it with 1', () => {
    for (const thrown of [new Error('x'), new TypeError('x'), 'text', null, undefined, 7])
      assert.equal(exitCodeOf(thrown), 1)
  })
})
