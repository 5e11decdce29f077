import { loadEngine } from '#dist/store/drivers/sqlite/engine.js'
import { keysOf, pickId, type Side, value, type Workload } from './workload.js'

/**
 * The same writes and reads by hand on the same engine: a plain table, prepared statements, durable, one
 * transaction for as many commits as the driver has in flight, no checks of any kind.
 */
export async function openRawSqlite(url: string, workload: Workload): Promise<Side> {
  const database = loadEngine().open(`${url.slice('sqlite:'.length)}.raw`, { readOnly: false })
  database.exec('PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, value BLOB NOT NULL)',
  )
  const insert = database.prepare('INSERT INTO entry (key, revision, value) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT revision, value FROM entry WHERE key = ?')
  const page = database.prepare(
    'SELECT key, revision, value FROM entry WHERE key > ? AND key < ? ORDER BY key LIMIT 512',
  )
  return {
    async commits({ lane, from, count }) {
      for (let id = from; id < from + count; ) {
        database.exec('BEGIN IMMEDIATE')
        const end = Math.min(id + workload.inFlight, from + count)
        for (; id < end; id++)
          for (const key of keysOf(lane, id, workload.writesPerCommit)) insert.run(key, id, value)
        database.exec('COMMIT')
      }
      return count
    },
    async gets(reading) {
      const { lane, count } = reading
      for (let step = 0; step < count; step++)
        if (!select.get(keysOf(lane, pickId(step, reading), 1)[0] as string))
          throw new Error('a key is missing')
      return count
    },
    async scans() {
      let count = 0
      for (let last = 'bench/'; ; ) {
        const rows = page.all(last, 'bench0')
        for (const row of rows) count += (row['value'] as Uint8Array).length > 0 ? 1 : 0
        if (rows.length === 0) return count
        last = rows.at(-1)?.['key'] as string
      }
    },
    close: async () => database.close(),
  }
}
