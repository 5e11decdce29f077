import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'vitest'
import { type Page, pages } from './page.ts'

const { text } = pages.find(({ path }) => path === 'ARCHITECTURE.md') as Page

test('every path that ARCHITECTURE.md names is there', () => {
  const named = [
    ...text.matchAll(/`((?:src|test|web|docs|bench|scripts|examples|bin)\/[\w./-]*)`/g),
  ]
  // Words in capitals stand for a name.
  const paths = named.map(([, path]) => path as string).filter((path) => !/[A-Z]{3}/.test(path))
  assert.ok(paths.length > 40)
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  )
})

test('every folder of src is a room of the map', () => {
  const layers = [...text.matchAll(/^\| `src\/(\w+)\/` \|/gm)].map(([, name]) => name)
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(layers.toSorted(), folders.map(({ name }) => name).toSorted())
})

test('every dependency is there for a reason that ARCHITECTURE.md gives, and for none that is gone', () => {
  const manifests = ['package.json', 'web/package.json'].map((path) =>
    JSON.parse(readFileSync(path, 'utf8')),
  )
  const used = manifests.flatMap((manifest) =>
    ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    ),
  )
  const table = text.slice(text.indexOf('## Dependencies'))
  const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, names]) => names as string)
  const given = rows.flatMap((names) =>
    [...names.matchAll(/`([@\w/-]+)`/g)].map(([, name]) => name),
  )
  const isPlain = (name: string) => !name.startsWith('@types/')
  assert.deepEqual(
    used.filter((name) => isPlain(name) && !given.includes(name)),
    [],
  )
  assert.deepEqual(
    given.filter((name) => name !== undefined && name !== 'web/' && !used.includes(name)),
    [],
  )
})
