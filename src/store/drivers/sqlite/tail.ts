import type { Feed } from '../../feed.ts'
import { watchPendingMax } from '../../store.ts'
import type { Connection } from './connection.ts'
import type { Row } from './engine.ts'
import { isLocked } from './lock.ts'
import { removalRevisionsKept } from './writer.ts'

/** How often to look for commits of other processes; a look without news is one cheap pragma. */
const pollMs = 50

/** Follows the file while someone watches: tells the feed what was written since the last look. */
export class Tail {
  readonly #connection: Connection
  readonly #feed: Feed
  #timer: NodeJS.Timeout | undefined
  #revision = 0
  #othersVersion = 0
  #isNudged = false
  #hasFailed = false

  constructor(connection: Connection, feed: Feed) {
    this.#connection = connection
    this.#feed = feed
  }

  /** From here on nothing is missed. */
  start(): void {
    if (this.#timer) return
    this.#othersVersion = this.#connection.othersVersion()
    this.#revision = this.#connection.lastRevision()
    this.#timer = setInterval(() => this.#poll(), pollMs)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** This process has committed: look at once, for the pragma does not count own commits. */
  nudge(): void {
    if (!this.#timer || this.#isNudged) return
    this.#isNudged = true
    setImmediate(() => this.#poll())
  }

  #poll(): void {
    if (!this.#timer) return
    if (!this.#feed.isWatched) {
      this.stop()
      return
    }
    try {
      const version = this.#connection.othersVersion()
      if (version === this.#othersVersion && !this.#isNudged) return
      this.#catchUp()
      this.#othersVersion = version
      this.#isNudged = false
      this.#hasFailed = false
    } catch (error) {
      // Nothing was taken: the next look starts from the same place. Whoever reads again on a resync
      // learns what is wrong; being locked is not.
      if (!isLocked(error) && !this.#hasFailed) this.#feed.resync()
      this.#hasFailed = !isLocked(error)
    }
  }

  #catchUp(): void {
    const last = this.#connection.lastRevision()
    const keys = this.#changedSince(this.#revision, last)
    this.#revision = last
    if (keys) this.#feed.publish(keys)
    else this.#feed.resync()
  }

  /** The keys written or removed since, or null where they are too many to tell or no longer known. */
  #changedSince(since: number, last: number): string[] | null {
    if (last - since >= removalRevisionsKept) return null
    const rows = [writtenSql, removedSql].flatMap((sql) =>
      this.#connection.statement(sql).all(since, last, watchPendingMax + 1),
    )
    // Between two statements another process may have trimmed the log.
    const isTrimmed = this.#connection.lastRevision() - since >= removalRevisionsKept
    if (isTrimmed || rows.length > watchPendingMax) return null
    return rows.sort(byRevision).map((row) => row['key'] as string)
  }
}

const writtenSql =
  'SELECT key, revision FROM entry WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?'
const removedSql =
  'SELECT key, revision FROM removal WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?'

const byRevision = (a: Row, b: Row): number => (a['revision'] as number) - (b['revision'] as number)
