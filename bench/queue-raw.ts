import { loadEngine } from '#dist/store/drivers/sqlite/engine.js'

/**
 * The rows of a task's life by hand on the same engine: a plain table, prepared statements, durable, one transaction for
 * as many tasks as run at once, no checks of any kind. Submit writes the task and its entry; claim swaps the task, adds the
 * lease and removes the entry; completion swaps the task and removes the lease.
 */
export function rawLifecycles(path: string) {
  const database = loadEngine().open(path, { readOnly: false })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(
    'CREATE TABLE entry (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, value BLOB NOT NULL)',
  )
  const insert = database.prepare('INSERT INTO entry (key, revision, value) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT revision, value FROM entry WHERE key = ?')
  const update = database.prepare(
    'UPDATE entry SET revision = ?, value = ? WHERE key = ? AND revision = ?',
  )
  const remove = database.prepare('DELETE FROM entry WHERE key = ?')
  const type = new TextEncoder().encode('bench')
  let revision = 0
  let written = 0
  const transact = (keys: readonly string[], step: (key: string) => void) => {
    database.exec('BEGIN IMMEDIATE')
    for (const key of keys) step(key)
    database.exec('COMMIT')
  }
  const submit = (id: string) => {
    insert.run(`qo/tasks/${id}.json`, ++revision, value)
    insert.run(`qo/ready/${id}`, ++revision, type)
  }
  const claim = (id: string) => {
    const row = select.get(`qo/tasks/${id}.json`)
    update.run(++revision, claimedValue, `qo/tasks/${id}.json`, row?.['revision'] as number)
    insert.run(`qo/leases/${id}`, ++revision, type)
    remove.run(`qo/ready/${id}`)
  }
  const complete = (id: string) => {
    const row = select.get(`qo/tasks/${id}.json`)
    update.run(++revision, completedValue, `qo/tasks/${id}.json`, row?.['revision'] as number)
    remove.run(`qo/leases/${id}`)
  }
  return {
    /** Tasks a second. */
    run(count: number, atOnce: number): number {
      const startedAt = performance.now()
      for (let done = 0; done < count; done += atOnce) {
        const ids = Array.from({ length: atOnce }, () => idOf(written++))
        transact(ids, submit)
        transact(ids, claim)
        transact(ids, complete)
      }
      return (count / (performance.now() - startedAt)) * 1000
    },
    close: () => database.close(),
  }
}

/** As long as real keys are, and like them growing within each shard. */
const idOf = (number: number): string => {
  const shard = ((number * 7919) % 16).toString(16)
  return `${shard}/${String(29_000_000 + number).padStart(20, '0')}-8b1e-9d3c-5a6f00112233`
}

/** As long as real documents are: 600, 830 and 1000 bytes. */
const value = new Uint8Array(600).fill(97)
const claimedValue = new Uint8Array(830).fill(97)
const completedValue = new Uint8Array(1000).fill(97)
