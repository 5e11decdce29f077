import assert from 'node:assert/strict'
import { TreeError } from '../../src/tree/index.ts'

/** Refused with this code, and with these details among others. */
export const refused =
  (code: string, details: Record<string, unknown> = {}) =>
  (error: unknown): true => {
    assert.ok(error instanceof TreeError, String(error))
    assert.equal(error.code, code, error.message)
    for (const [name, value] of Object.entries(details))
      assert.deepEqual(error.details[name], value)
    return true
  }
