import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreError } from '../../error.ts'
import type { CommitResult, Write } from '../../store.ts'
import { type Request, Turns } from '../../turns.ts'
import { Applier, HalfWritten } from './applier.ts'
import type { Connection } from './connection.ts'
import { sqliteResult } from './engine.ts'
import { readOnlyError, storeErrorOf } from './failure.ts'
import { identityAt } from './file.ts'
import { lockWaitMsMax, pause, retryWhileLocked } from './lock.ts'
import { realPathOf } from './modes.ts'
import { rollBack } from './schema.ts'

/** How much of a queue one transaction takes, so that no process holds the file for long. */
const turnWritesMax = 2000
const turnBytesMax = 4_000_000

/** After a turn that had to be undone, expectations are looked at first for so many turns. */
const cautiousTurns = 50

/**
 * Puts the commits that arrive in one turn of the event loop into one transaction, which costs one sync
 * for all of them. Each still succeeds or conflicts by itself. Where one fails after its first write, the whole
 * turn is undone and done again, and then, as for a while after, all expectations of a commit are checked before its
 * first write; nothing else can come between, for the transaction holds the write lock.
 *
 * There is no writer thread. Each sync blocks the event loop, but throughput stays close to a raw loop's
 * (docs/performance.md), and a thread would slow the start of every program.
 */
export class Writer {
  readonly #connection: Connection
  readonly #identity: string
  readonly #logPath: string
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
  /** How many turns to look at expectations first. */
  #cautious = 0
  #othersVersion: number | undefined

  constructor(connection: Connection, identity: string, onCommit: () => void) {
    this.#connection = connection
    this.#identity = identity
    this.#logPath = `${realPathOf(connection.path)}-wal`
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
      const results = await this.#results(turn)
      for (let at = 0; at < turn.length; at++)
        (turn[at] as Request<Write>).resolve(results[at] as CommitResult)
      this.#onCommit()
    } catch (error) {
      const failure = storeErrorOf(error, this.#connection.path)
      for (const request of turn) request.reject(failure)
    }
  }

  async #results(turn: readonly Request<Write>[]): Promise<CommitResult[]> {
    for (;;) {
      await retryWhileLocked(() => this.#begin(), turn[0]?.deadline)
      try {
        return this.#apply(turn)
      } catch (error) {
        if (!(error instanceof HalfWritten)) throw error
        this.#cautious = cautiousTurns
      }
    }
  }

  #begin(): void {
    if (!this.#connection.isWritable) throw readOnlyError(this.#connection.path)
    this.#checkInPlace()
    this.#connection.endReads()
    this.#connection.statement('BEGIN IMMEDIATE').run()
  }

  #apply(turn: readonly Request<Write>[]): CommitResult[] {
    let results: CommitResult[]
    try {
      const applier = new Applier(this.#connection)
      const isCautious = this.#cautious > 0
      if (isCautious) this.#cautious--
      results = turn.map(({ writes }) =>
        isCautious ? applier.applyChecked(writes) : applier.applyAtOnce(writes),
      )
      applier.finish()
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
    this.#logIdentity ??= identityAt(this.#logPath)
  }

  /** A file that was moved away or replaced would take our commits and keep none of them. */
  #checkInPlace(): void {
    const { path } = this.#connection
    const isFileThere = identityAt(path) === this.#identity
    const isLogThere = !this.#logIdentity || identityAt(this.#logPath) === this.#logIdentity
    if (isFileThere && isLogThere) return
    throw new StoreError(
      'down',
      `${isFileThere ? this.#logPath : path} was moved, deleted or replaced while it was open; nothing was written.`,
      'Put it back, or open the store again.',
    )
  }

  #lookForOthers(): void {
    const before = this.#othersVersion
    this.#othersVersion = this.#connection.othersVersion()
    this.#isContended = before !== undefined && before !== this.#othersVersion
  }
}

const unknownOutcome = (path: string, cause: unknown): StoreError =>
  new StoreError(
    'lost_answer',
    `Writing ${path} failed at the last step; whether the commit is there is not known.`,
    'Check the disk, read the keys again, then decide.',
    cause,
  )
