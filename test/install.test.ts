import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'vitest'

const json = async (name: string) =>
  JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'))

test('better-sqlite3 alone has an install script: the set-up runs no other', async () => {
  const packages: Record<string, { hasInstallScript?: true }> = (await json('package-lock.json'))
    .packages
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript)
  assert.deepEqual(scripted, ['node_modules/better-sqlite3'])
  assert.deepEqual((await json('package.json')).allowScripts, { 'better-sqlite3': true })
})

test('the set-up compiles SQLite for exactly those Nodes on which the store uses it', async () => {
  const oldest = async (name: string) => {
    const text = await readFile(new URL(`../${name}`, import.meta.url), 'utf8')
    return /sqliteVersionMin = (.*)/.exec(text)?.[1]?.match(/\d+/g)
  }
  const [set, used] = await Promise.all(
    ['scripts/install.mjs', 'src/store/drivers/sqlite/engine.ts'].map(oldest),
  )
  assert.equal(used?.length, 3)
  assert.deepEqual(set, used)
})
