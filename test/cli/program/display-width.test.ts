import assert from 'node:assert/strict'
import stringWidth from 'string-width'
import { describe, test } from 'vitest'
import { fittedTo, measureFor } from '../../../src/cli/program/display-width.ts'

describe('a text that is fitted to so many columns', () => {
  const cases: readonly [columns: number, text: string, fitted: string][] = [
    [5, 'short', 'short'],
    [5, 'longer', 'long…'],
    [6, 'a bc d e', 'a bc…'],
    [1, 'ab', '…'],
    [0, 'ab', ''],
    [-3, 'ab', ''],
    [0, '', ''],
    [5, '買い物に', '買い…'],
    [4, '買い物に', '買…'],
    [2, '買い', '…'],
    [3, '👩‍👩‍👧‍👦 family', '👩‍👩‍👧‍👦…'],
    [4, 'e\u0301e\u0301e\u0301e\u0301e\u0301', 'e\u0301e\u0301e\u0301…'],
  ]
  for (const [columns, text, fitted] of cases)
    test(`${JSON.stringify(text)} in ${columns}`, async () => {
      const found = fittedTo(columns, text, await measureFor([text]))
      assert.equal(found, fitted)
      assert.ok(stringWidth(found) <= Math.max(0, columns))
    })
})
