import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreError } from '../../error.ts'
import type { CommitResult, Write } from '../../store.ts'
import { type Request, Turns } from '../../turns.ts'
import type { Connection } from './connection.ts'
import { sqliteResult } from './engine.ts'
import { readOnlyError, storeErrorOf } from './failure.ts'
import { identityAt } from './file.ts'
import { lockWaitMsMax, pause, retryWhileLocked } from './lock.ts'
import { rollBack } from './schema.ts'

/** How much of a queue one transaction takes, so that no process holds the file for long. */
const turnWritesMax = 2000
const turnBytesMax = 4_000_000

/** How far back removals are remembered for watches of other processes, counted in revisions. */
export const removalRevisionsKept = 10_000

/**
 * Puts the commits that arrive in one turn of the event loop into one transaction, which costs one sync
 * for all of them. Each still succeeds or conflicts by itself: its expectations are all checked before
 * its first write, and nothing else can come between, for the transaction holds the write lock.
 */
export class Writer {
  readonly #connection: Connection
  readonly #identity: string
  readonly #onCommit: () => void
  readonly #turns = new Turns<Write>({
    writesMax: turnWritesMax,
    bytesMax: turnBytesMax,
    bytesOf: (write) => (write.type === 'remove' ? 0 : write.value.byteLength),
    mayRepeatKeys: true,
    run: (turn) => this.#run(turn),
  })
  /** Of the write-ahead log, once we have written to it. */
  #logIdentity: string | null = null
  #isContended = false
  #othersVersion: number | undefined

  constructor(connection: Connection, identity: string, onCommit: () => void) {
    this.#connection = connection
    this.#identity = identity
    this.#onCommit = onCommit
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    const deadline = performance.now() + lockWaitMsMax
    return new Promise((resolve, reject) => this.#turns.add({ writes, deadline, resolve, reject }))
  }

  async #run(turn: readonly Request<Write>[]): Promise<void> {
    await this.#transact(turn)
    // Someone else who writes as well must find the file unlocked for a while, or it would starve.
    await (this.#isContended ? pause() : nextTurn())
  }

  async #transact(turn: readonly Request<Write>[]): Promise<void> {
    try {
      await retryWhileLocked(() => this.#begin(), turn[0]?.deadline)
      const results = this.#apply(turn)
      for (const [index, request] of turn.entries()) request.resolve(results[index]!)
      this.#onCommit()
    } catch (error) {
      const failure = storeErrorOf(error, this.#connection.path)
      for (const request of turn) request.reject(failure)
    }
  }

  #begin(): void {
    if (!this.#connection.isWritable) throw readOnlyError(this.#connection.path)
    this.#checkInPlace()
    this.#connection.statement('BEGIN IMMEDIATE').run()
  }

  #apply(turn: readonly Request<Write>[]): CommitResult[] {
    let results: CommitResult[]
    try {
      const applier = new Applier(this.#connection)
      results = turn.map(({ writes }) => applier.apply(writes))
      applier.trim()
      this.#lookForOthers()
    } catch (error) {
      rollBack(this.#connection.database)
      throw error
    }
    this.#commit()
    return results
  }

  #commit(): void {
    try {
      this.#connection.statement('COMMIT').run()
    } catch (error) {
      rollBack(this.#connection.database)
      // What the disk failed to sync may yet be found in the log after a crash.
      throw sqliteResult(error) === 'IOERR' ? unknownOutcome(this.#connection.path, error) : error
    }
    this.#logIdentity ??= identityAt(`${this.#connection.path}-wal`)
  }

  /** A file that was moved away or replaced would take our commits and keep none of them. */
  #checkInPlace(): void {
    const { path } = this.#connection
    const isFileThere = identityAt(path) === this.#identity
    const isLogThere = !this.#logIdentity || identityAt(`${path}-wal`) === this.#logIdentity
    if (isFileThere && isLogThere) return
    throw new StoreError(
      'down',
      `${isFileThere ? `${path}-wal` : path} was moved, deleted or replaced while it was open; nothing was written.`,
      'Put it back, or open the store again.',
    )
  }

  #lookForOthers(): void {
    const before = this.#othersVersion
    this.#othersVersion = this.#connection.othersVersion()
    this.#isContended = before !== undefined && before !== this.#othersVersion
  }
}

/** The commits of one transaction, and the revisions they are given. */
class Applier {
  readonly #connection: Connection
  #revision: number
  #hasRemoved = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#revision = connection.lastRevision()
  }

  apply(writes: readonly Write[]): CommitResult {
    if (!writes.every((write) => this.#holds(write))) return { ok: false }
    return { ok: true, revisions: writes.map((write) => this.#write(write)) }
  }

  trim(): void {
    if (!this.#hasRemoved) return
    const oldest = this.#revision - removalRevisionsKept
    this.#connection.statement('DELETE FROM removal WHERE revision <= ?').run(oldest)
  }

  #holds(write: Write): boolean {
    const row = this.#connection
      .statement('SELECT revision FROM entry WHERE key = ?')
      .get(write.key)
    if (write.type === 'create') return row === undefined
    return row !== undefined && String(row['revision']) === write.revision
  }

  #write(write: Write): string | null {
    const revision = ++this.#revision
    switch (write.type) {
      case 'create':
        this.#connection.statement(insertSql).run(revision, write.key, write.value)
        return String(revision)
      case 'update':
        this.#connection.statement(updateSql).run(revision, write.value, Number(write.revision))
        return String(revision)
      case 'remove':
        this.#hasRemoved = true
        this.#connection
          .statement('DELETE FROM entry WHERE revision = ?')
          .run(Number(write.revision))
        this.#connection.statement('INSERT INTO removal VALUES (?, ?)').run(revision, write.key)
        return null
    }
  }
}

const insertSql = 'INSERT INTO entry (revision, key, value) VALUES (?, ?, ?)'
const updateSql = 'UPDATE entry SET revision = ?, value = ? WHERE revision = ?'

const unknownOutcome = (path: string, cause: unknown): StoreError =>
  new StoreError(
    'lost_answer',
    `Writing ${path} failed at the last step; whether the commit is there is not known.`,
    'Check the disk, read the keys again, then decide.',
    cause,
  )
