import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { exportedNames, undocumented } from './documented.ts'

test('every export of the package, and every public member of one, has a doc comment', () => {
  const names = exportedNames()
  assert.ok(names.length > 200)
  assert.deepEqual(names.flatMap(undocumented), [])
})

const sample = `
/** A base. */
export abstract class Base {
  /** Told once. */
  abstract readonly code: string
}
export class Own extends Base {
  readonly code = 'x'
  readonly bare = 1
  #secret = 2
  private hidden = 3
  /** Told. */
  get told() { return this.#secret + this.hidden }
  [Symbol.asyncDispose]() {}
}
/* No doc comment. */
export interface Shape { side: number }
`

test('what has no words is found: a name, a member; not what is private, inherited or told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tidy-'))
  try {
    const path = join(folder, 'sample.ts')
    writeFileSync(path, sample)
    const found = ['Base', 'Own', 'Shape'].flatMap((name) => undocumented({ path, name }))
    assert.deepEqual(
      found.map((each) => each.replace(`${path}: `, '')),
      ['Own', 'Own.bare', 'Shape', 'Shape.side'],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
