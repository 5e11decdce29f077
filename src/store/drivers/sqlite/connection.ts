import { closedError, type StoreError } from '../../error.ts'
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
  #holdsMoment = false
  /** Reads of {@link readTogether} since somebody else had the thread, and whether they share a transaction. */
  #reads = 0
  #isShared = false

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

  /** From now on everything is read as it is now: a transaction sees one moment, from its first look to its end. */
  async holdMoment(): Promise<void> {
    this.#database.exec('BEGIN')
    this.#holdsMoment = true
    await this.read(() => this.lastRevision())
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

  /** Whether all of these revisions are there; false also where that can't be told at once. */
  hasAll(revisions: readonly number[]): boolean {
    if (this.obstacle || revisions.length > revisionsMax) return false
    try {
      return this.statement(missingSql(revisions.length)).get(...revisions) === undefined
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

  /**
   * The same, for what many may ask for in one go. From the second that comes before anybody else has the thread, they
   * share a transaction: each by itself takes and drops the locks of the file, which is half of what it costs. Nobody has
   * waited for anything in between, so nobody can know of a commit that came after the first and miss it in the last.
   */
  readTogether<T>(run: () => T): Promise<T> {
    if (++this.#reads === 1) void settled.then(this.endReads)
    else if (this.#reads === 2 && !this.#holdsMoment && !this.obstacle) {
      this.statement('BEGIN').run()
      this.#isShared = true
    }
    return this.read(run)
  }

  /** Before anything that wants a transaction of its own. */
  readonly endReads = (): void => {
    this.#reads = 0
    if (!this.#isShared) return
    this.#isShared = false
    try {
      this.statement('COMMIT').run()
    } catch {
      // SQLite has ended it by itself, as it does where a read fails badly.
    }
  }

  close(): void {
    this.endReads()
    this.#isClosed = true
    this.#database.close()
  }
}

const settled = Promise.resolve()

const lastRevisionSql = `SELECT max(
  coalesce((SELECT max(revision) FROM entry), 0),
  coalesce((SELECT max(revision) FROM removal), 0)) AS revision`

/** How many revisions are looked for at once; each number of them is a statement of its own. */
const revisionsMax = 16

const missingSqls: string[] = []

/** A row where one of them is missing: to answer with none is cheapest. In one statement, so that all is seen at one moment. */
function missingSql(count: number): string {
  const known = missingSqls[count]
  if (known !== undefined) return known
  const isMissing = 'NOT EXISTS (SELECT 1 FROM entry WHERE revision = ?)'
  const sql = `SELECT 1 WHERE ${['0', ...Array(count).fill(isMissing)].join(' OR ')}`
  missingSqls[count] = sql
  return sql
}
