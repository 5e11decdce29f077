import { loadEngine } from '#dist/store/drivers/sqlite/engine.js'

/**
 * The rows of a task's life by hand on the same engine: a plain table, prepared statements, durable, one transaction for
 * as many tasks as run at once, no checks of any kind. Submit writes the task and its entry; claim reads the task, swaps
 * it, adds the lease and removes the entry; completion swaps the task, of which it knows the revision, and removes the
 * lease.
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
  const transact = (tasks: readonly RawTask[], step: (task: RawTask) => void) => {
    database.exec('BEGIN IMMEDIATE')
    for (const task of tasks) step(task)
    database.exec('COMMIT')
  }
  const submit = ({ key, readyKey }: RawTask) => {
    insert.run(key, ++revision, value)
    insert.run(readyKey, ++revision, type)
  }
  const claim = (task: RawTask) => {
    const row = select.get(task.key)
    task.revision = ++revision
    update.run(task.revision, claimedValue, task.key, row?.['revision'] as number)
    insert.run(task.leaseKey, ++revision, type)
    remove.run(task.readyKey)
  }
  const complete = (task: RawTask) => {
    update.run(++revision, completedValue, task.key, task.revision)
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

interface RawTask {
  readonly key: string
  readonly readyKey: string
  readonly leaseKey: string
  revision: number
}

/** Its keys are like real ones, and like them grow within each shard. */
function rawTask(number: number): RawTask {
  const shard = ((number * 7919) % 16).toString(16)
  const time = (0x19a8c31f200 + Math.floor(number / 20)).toString(16).padStart(11, '0')
  const rest = number.toString(16).padStart(12, '0')
  const id = `${shard}${time.slice(0, 7)}-${time.slice(7)}-8b1e-9d3c-${rest}`
  return {
    key: `qo/tasks/${shard}/${id}.json`,
    readyKey: `qo/ready/${shard}/0029384720/${id}`,
    leaseKey: `qo/leases/${shard}/0029384725/${id}`,
    revision: 0,
  }
}

/** As long as real documents are. */
const value = new Uint8Array(626).fill(97)
const claimedValue = new Uint8Array(785).fill(97)
const completedValue = new Uint8Array(881).fill(97)
