import type { Database } from './engine.ts'

/** "HOLD": stands in the header of every store of ours, and tells it from other programs' databases. */
export const applicationId = 0x484f4c44
export const schemaVersion = 1

/**
 * A revision is a number that grows with every write to the file, and the row id of the entry it made.
 * That serves three ends at once: new rows always go to the end of the table, the index on the key holds
 * the revision too (so a list never touches the values), and "what was written since?" is a range of
 * row ids. Only removals need a log of their own; it is trimmed. The highest number of both tables is the
 * last revision given, for a removal takes one as well.
 */
const entryTable =
  'CREATE TABLE entry (revision INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value BLOB NOT NULL)'
const removalTable = 'CREATE TABLE removal (revision INTEGER PRIMARY KEY, key TEXT NOT NULL)'

/** Lays the tables, unless another process just did. All or nothing, and safe to repeat. */
export function createSchema(database: Database): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    if (pragma(database, 'application_id') !== applicationId)
      database.exec(
        `${entryTable}; ${removalTable}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`,
      )
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** What became of the file once SQLite has undone what a crash left: ours, empty, or another program's. */
export function ownerOf(database: Database): 'us' | 'nobody' | 'another' {
  if (pragma(database, 'application_id') === applicationId) return 'us'
  const row = database.prepare('SELECT count(*) AS count FROM sqlite_master').get()
  return row?.['count'] === 0 ? 'nobody' : 'another'
}

/** All that is in the schema, to the letter: types, names, tables, statements. */
const schema = [
  ['table', 'entry', 'entry', entryTable],
  ['index', 'sqlite_autoindex_entry_1', 'entry', null],
  ['table', 'removal', 'removal', removalTable],
].map((row) => JSON.stringify(row))

const nameCharactersMax = 60

/**
 * What keeps a file with our id from being ours; null where it is. A view in place of a table may never end, a trigger runs
 * with every write, and what a repository brings may have either. Reading the schema runs nothing of it.
 */
export function schemaFlawOf(database: Database): string | null {
  const rows = database
    .prepare(`SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ${schema.length + 1}`)
    .all()
  const missing = new Set(schema)
  for (const { type, name, tbl_name, sql } of rows) {
    if (missing.delete(JSON.stringify([type, name, tbl_name, sql]))) continue
    return `it has the ${type} ${String(name).slice(0, nameCharactersMax)}, which Holdfast did not make`
  }
  return missing.size === 0 ? null : 'a table of a store is missing'
}

export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite already rolled back by itself, as it does when a disk is full.
  }
}

/** The single value that a pragma answers with. */
export function pragma(database: Database, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}
