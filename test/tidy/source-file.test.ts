import assert from 'node:assert/strict'
import { test } from 'vitest'
import { importedPath, isRoundabout } from './source-file.ts'

const from = 'src/cli/demo.ts'

const led: Readonly<Record<string, string | null>> = {
  './output.ts': 'src/cli/output.ts',
  '../store/index.ts': 'src/store/index.ts',
  '../../dist/store/key.js': 'src/store/key.ts',
  '../../dist/cli/ut.cjs': 'src/cli/ut.ts',
  'holdfast/store': 'src/store/index.ts',
  'holdfast/store/conformance': 'src/store/conformance/index.ts',
  'holdfast/package.json': 'package.json',
  '#dist/store/key.js': 'src/store/key.ts',
  'node:fs': null,
  'holdfast-other/x': null,
}

for (const [specifier, path] of Object.entries(led))
  test(`an import of ${specifier} leads to ${path}`, () => {
    assert.equal(importedPath(from, specifier), path)
    assert.equal(isRoundabout(specifier), /^holdfast\/|dist\//.test(specifier))
  })

test('an import of the package that it does not export is refused', () => {
  assert.throws(() => importedPath(from, 'holdfast/store/key'), /no export/)
})
