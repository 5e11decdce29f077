import type { CommitResult, Write } from '../../store.ts'
import type { Connection } from './connection.ts'
import type { Statement } from './engine.ts'

/** How far back removals are remembered for watches of other processes, counted in revisions. */
export const removalRevisionsKept = 10_000

/** What stands between the removed keys of one transaction: no key holds it. */
const separator = '\n'

/** The keys that a row of the log of removals names. */
export const removedKeysIn = (row: string): string[] => row.split(separator)

/** A commit has failed after its first write: what was written for it must be undone. */
export class HalfWritten extends Error {}

/**
 * The commits of one transaction, and the revisions they are given. Each expectation is part of the statement that
 * writes, which then changes one row or none. So a commit that holds costs no look-ups, and one that fails at its
 * first write has nothing to undo.
 */
export class Applier {
  readonly #connection: Connection
  readonly #insert: Statement
  readonly #update: Statement
  readonly #delete: Statement
  readonly #removed: string[] = []
  #lastRemoval = 0
  #revision: number

  constructor(connection: Connection) {
    this.#connection = connection
    this.#insert = connection.statement(insertSql)
    this.#update = connection.statement(updateSql)
    this.#delete = connection.statement(deleteSql)
    this.#revision = connection.lastRevision()
  }

  /** Throws {@link HalfWritten} where only some of the expectations hold. */
  applyAtOnce(writes: readonly Write[]): CommitResult {
    const first = this.#revision
    for (let at = 0; at < writes.length; at++) {
      if (this.#write(writes[at] as Write)) continue
      if (at > 0) throw new HalfWritten()
      this.#revision = first
      return { ok: false }
    }
    return { ok: true, revisions: revisionsOf(writes, first) }
  }

  /** The same, looking at all expectations first, so that there is never anything to undo. */
  applyChecked(writes: readonly Write[]): CommitResult {
    for (const write of writes) if (!this.#holds(write)) return { ok: false }
    return this.applyAtOnce(writes)
  }

  /**
   * Logs what was removed, and forgets what was long ago. The newest row always stays: its revision may be the last one
   * given, and none may be given twice.
   */
  finish(): void {
    if (this.#removed.length === 0) return
    this.#connection
      .statement('INSERT INTO removal VALUES (?, ?)')
      .run(this.#lastRemoval, this.#removed.join(separator))
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

  /** Whether its expectation held. */
  #write(write: Write): boolean {
    const revision = ++this.#revision
    if (write.type === 'create')
      return this.#insert.run(revision, write.key, write.value).changes === 1
    const expected = Number(write.revision)
    if (String(expected) !== write.revision) return false
    if (write.type === 'update')
      return this.#update.run(revision, write.value, expected, write.key).changes === 1
    if (this.#delete.run(expected, write.key).changes !== 1) return false
    this.#removed.push(write.key)
    this.#lastRemoval = revision
    return true
  }
}

/** Every write takes one, in their order. */
const revisionsOf = (writes: readonly Write[], first: number): (string | null)[] =>
  writes.map(({ type }, at) => (type === 'remove' ? null : String(first + 1 + at)))

const insertSql = 'INSERT INTO entry (revision, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
const updateSql = 'UPDATE entry SET revision = ?, value = ? WHERE revision = ? AND key = ?'
const deleteSql = 'DELETE FROM entry WHERE revision = ? AND key = ?'
