import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { filesBelow, type Page, pages } from './page.ts'

/** Words that look like links in code are none. */
const proseOf = (text: string): string =>
  text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, 'code')

/** The name by which a heading is linked to, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    anchorOf(heading as string),
  )

const linksOf = ({ text }: Page): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)

function isDead({ path }: Page, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (!existsSync(target)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

describe('no link within the project is dead', () => {
  for (const page of pages)
    test(page.path, () => {
      const local = linksOf(page).filter((link) => !link.includes('://'))
      assert.deepEqual(
        local.filter((link) => isDead(page, link)),
        [],
      )
    })
})

test('every page is reached from the README', () => {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const page = byPath.get(path)
    if (!page || reached.has(path)) return
    reached.add(path)
    for (const link of linksOf(page)) visit(join(dirname(path), link.split('#')[0] as string))
  }
  visit('README.md')
  assert.deepEqual(
    [...byPath.keys()].filter((path) => !reached.has(path)),
    [],
  )
})

test('a page that a message of a program names is there', () => {
  const named = filesBelow('src', '.ts')
    .flatMap((path) => readFileSync(path, 'utf8').match(/docs\/[\w/-]+\.md/g) ?? [])
    // An example of somebody's own.
    .filter((path) => path !== 'docs/grammar.md')
  assert.ok(named.length > 3)
  assert.deepEqual(
    named.filter((path) => !existsSync(path)),
    [],
  )
})
