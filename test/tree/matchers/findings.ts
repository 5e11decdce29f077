import assert from 'node:assert/strict'
import { formatFinding, parseMatchers } from '../../../src/tree/matchers/index.ts'

/** A file, what is found in it, and which of its matchers are used; null where none can be. */
export type Case = readonly [string, readonly string[], readonly string[] | null]

export const matcher = (body: string): string => `matchers:\n  - name: a\n    grimoire: g\n${body}`

export async function check([text, expected, used]: Case): Promise<void> {
  const { rules, findings } = await parseMatchers(text)
  assert.deepEqual(
    findings.map((finding) => formatFinding('', finding).slice(1)),
    expected,
  )
  const names = rules?.flatMap((rule) => ('skipped' in rule ? [] : [rule.name])) ?? null
  assert.deepEqual(names, used)
}
