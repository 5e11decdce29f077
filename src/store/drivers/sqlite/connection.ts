import { closedError, type StoreError } from '../../error.ts'
import type { Head } from '../../store.ts'
import { type Database, loadEngine, type Statement } from './engine.ts'
import { storeErrorOf } from './failure.ts'
import { isLocked, retryWhileLocked } from './lock.ts'
import { pragma } from './schema.ts'

/** One connection to the file, its statements, each prepared when it is first needed. */
export class Connection {
  readonly path: string
  readonly isWritable: boolean
  /** Why nothing may be read for now, where there is a reason. */
  obstacle: StoreError | null = null
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()
  #isClosed = false

  constructor(path: string, isWritable: boolean) {
    this.path = path
    this.isWritable = isWritable
    this.#database = loadEngine().open(path, { readOnly: !isWritable })
  }

  get database(): Database {
    return this.#database
  }

  /** Makes commits survive a power cut, and readers and writers not wait for each other. */
  configure(): void {
    // Asking is cheaper than setting, and the mode stays with the file once it is set.
    if (this.isWritable && pragma(this.#database, 'journal_mode') !== 'wal')
      pragma(this.#database, 'journal_mode = WAL')
    this.#database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON')
  }

  statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** The highest revision ever given. */
  lastRevision(): number {
    return this.statement(lastRevisionSql).get()?.['revision'] as number
  }

  /** Whether all of these are there; false also where that can't be told at once. */
  hasAll(heads: readonly Head[]): boolean {
    if (this.obstacle || heads.length > joinedMax) return false
    try {
      const bounds = heads.flatMap(({ key, revision }) => [Number(revision), key])
      return (
        heads.length === 0 || this.statement(hasAllSql(heads.length)).get(...bounds) !== undefined
      )
    } catch {
      return false
    }
  }

  /** A number that changes when another connection commits; own commits leave it alone. */
  othersVersion(): number {
    return this.statement('PRAGMA data_version').get()?.['data_version'] as number
  }

  /** Reads at once, or, where another process has the file locked, as soon as it lets go. */
  read<T>(run: () => T): Promise<T> {
    if (this.obstacle) return Promise.reject(this.obstacle)
    try {
      return Promise.resolve(run())
    } catch (error) {
      const again = () => {
        if (this.#isClosed) throw closedError()
        return run()
      }
      const outcome = isLocked(error) ? retryWhileLocked(again) : Promise.reject(error)
      return outcome.catch((failure) => Promise.reject(storeErrorOf(failure, this.path)))
    }
  }

  close(): void {
    this.#isClosed = true
    this.#database.close()
  }
}

const lastRevisionSql = `SELECT max(
  coalesce((SELECT max(revision) FROM entry), 0),
  coalesce((SELECT max(revision) FROM removal), 0)) AS revision`

/** SQLite joins up to 64. */
const joinedMax = 16

/** One statement, so that all is seen at one moment. Rows are found by their numbers; the plus keeps SQLite from the other index. */
function hasAllSql(count: number): string {
  const known = hasAllSqls[count]
  if (known !== undefined) return known
  const names = Array.from({ length: count }, (_, at) => `e${at}`)
  const tables = names.map((name) => `entry AS ${name}`).join(', ')
  const sql = `SELECT 1 FROM ${tables} WHERE ${names.map((name) => `${name}.revision = ? AND +${name}.key = ?`).join(' AND ')}`
  hasAllSqls[count] = sql
  return sql
}

const hasAllSqls: string[] = []
