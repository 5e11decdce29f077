import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { progressText } from '../../../src/cli/program/progress.ts'

describe('progressText', () => {
  test('draws a bar where the total is known, and only counts where it is not', () => {
    assert.equal(progressText(0, 4), '[>                       ] 0 of 4')
    assert.equal(progressText(2, 4), '[============>           ] 2 of 4')
    assert.equal(progressText(4_000, 4_000), '[========================] 4,000 of 4,000')
    assert.equal(progressText(12_345, null), '12,345')
    assert.equal(progressText(7, 0), '7')
  })
})
