import { loadEngine } from '#dist/store/drivers/sqlite/engine.js'
import { type RawTask, type Rows, rawTask } from './queue-rows.js'

/**
 * The rows of a task's life by hand on the same engine: a plain table, prepared statements, durable, one transaction for
 * as many tasks as run at once, no checks of any kind. Submit writes the task and its entry; claim reads the task, swaps
 * it, adds the lease and removes the entry; completion swaps the task, of which it knows the revision, and removes the
 * lease.
 */
export function rawLifecycles(path: string, rows: Rows) {
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
  const transact = (tasks: readonly RawTask[], step: (task: RawTask) => void) => {
    database.exec('BEGIN IMMEDIATE')
    for (const task of tasks) step(task)
    database.exec('COMMIT')
  }
  const submit = (task: RawTask) => {
    insert.run(task.key, ++revision, rows.submitted(task))
    insert.run(task.readyKey, ++revision, type)
  }
  const claim = (task: RawTask) => {
    const row = select.get(task.key)
    const value = rows.claimed(task, row?.['value'] as Uint8Array)
    task.revision = ++revision
    update.run(task.revision, value, task.key, row?.['revision'] as number)
    insert.run(task.leaseKey, ++revision, type)
    remove.run(task.readyKey)
  }
  const complete = (task: RawTask) => {
    update.run(++revision, rows.completed(task), task.key, task.revision)
    remove.run(task.leaseKey)
  }
  return {
    run(count: number, atOnce: number): void {
      for (let done = 0; done < count; done += atOnce) {
        const batch = Array.from({ length: atOnce }, () => rawTask(written++))
        transact(batch, submit)
        transact(batch, claim)
        transact(batch, complete)
      }
    },
    close: () => database.close(),
  }
}
