import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])

/** A store with one entry that somebody has been at. */
async function altered(sql: string) {
  const folder = await temporaryFolder()
  const path = folder.path('store.db')
  {
    await using store = await openStore(`sqlite:${path}`)
    await store.commit([create('ns/a', one)])
  }
  const database = loadEngine().open(path, { readOnly: false })
  database.exec(sql)
  database.close()
  return { ...folder, path }
}

const endless = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)'

describe('a file with our id is refused, quickly and as it is, where its schema has', () => {
  const schemas: Readonly<Record<string, [sql: string, named: RegExp]>> = {
    'a view that never ends for a table': [
      `DROP TABLE entry; CREATE VIEW entry AS ${endless} SELECT n AS revision, 'ns/' || n AS key, x'00' AS value FROM r`,
      /the view entry/,
    ],
    'a view that never ends and is empty': [
      `DROP TABLE entry; CREATE VIEW entry AS ${endless} SELECT n AS revision, 'ns/' || n AS key, x'00' AS value FROM r WHERE n < 0`,
      /the view entry/,
    ],
    'one more view': ['CREATE VIEW more AS SELECT key FROM entry', /the view more/],
    'a trigger that copies': [
      'CREATE TRIGGER t AFTER INSERT ON entry BEGIN INSERT INTO removal VALUES (1, new.key); END',
      /the trigger t/,
    ],
    'a trigger that swallows': [
      'CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT raise(ignore); END',
      /the trigger t/,
    ],
    'one more table': ['CREATE TABLE copy (k, v)', /the table copy/],
    'one more index': ['CREATE INDEX i ON entry (value)', /the index i/],
    'statistics that steer the planner': ['ANALYZE', /the table sqlite_stat1/],
    'a table with a generated column': [
      "DROP TABLE removal; CREATE TABLE removal (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, x AS (printf('%.*c', 500000000, 'x')))",
      /the table removal/,
    ],
    'a table with a check': [
      `DROP TABLE removal; CREATE TABLE removal (revision INTEGER PRIMARY KEY, key TEXT NOT NULL CHECK (length(key) < 9))`,
      /the table removal/,
    ],
    'a table less': ['DROP TABLE removal', /a table of a store is missing/],
    'no table at all': ['DROP TABLE removal; DROP TABLE entry', /a table of a store is missing/],
  }
  for (const [form, [sql, named]] of Object.entries(schemas))
    test(form, async () => {
      await using there = await altered(sql)
      const before = readFileSync(there.path)
      for (const options of [{}, { create: false }]) {
        const open = () => openStore(`sqlite:${there.path}`, options)
        assert.match((await assertFails(open, 'foreign_file')).message, named)
      }
      assert.deepEqual(readFileSync(there.path), before)
    })
})

test('what leaves the schema alone is no obstacle, and a newer schema is named as such', async () => {
  for (const sql of ['VACUUM', 'REINDEX', 'PRAGMA journal_mode = DELETE']) {
    await using there = await altered(sql)
    await using store = await openStore(`sqlite:${there.path}`)
    assert.deepEqual((await store.get('ns/a'))?.value, one)
  }
  await using newer = await altered('CREATE TABLE more (a); PRAGMA user_version = 2')
  await assertFails(() => openStore(`sqlite:${newer.path}`), 'newer_schema')
})
