import { StoreError } from '../../error.ts'
import type { Feed } from '../../feed.ts'
import { watchPendingMax } from '../../store.ts'
import { removalRevisionsKept, removedKeysIn } from './applier.ts'
import type { Connection } from './connection.ts'
import type { Row } from './engine.ts'
import { identityAt } from './file.ts'
import { isLocked } from './lock.ts'

/** How often to look for commits of other processes; a look without news is one cheap pragma. */
const pollMs = 50
/** At every so many looks, whether the file is still in its place. */
const looksAPlace = 4

/**
 * Follows the file while someone watches: tells the feed what was written since the last look. A file that was
 * moved away or replaced would be quiet for ever, so then, until it is back, nothing can be read.
 */
export class Tail {
  readonly #connection: Connection
  readonly #identity: string
  readonly #feed: Feed
  #timer: NodeJS.Timeout | undefined
  #revision = 0
  #othersVersion = 0
  #isNudged = false
  #hasFailed = false
  #looks = 0

  constructor(connection: Connection, identity: string, feed: Feed) {
    this.#connection = connection
    this.#identity = identity
    this.#feed = feed
  }

  get isOn(): boolean {
    return this.#timer !== undefined
  }

  /** From here on nothing is missed. */
  start(): void {
    if (this.#timer) return
    this.#othersVersion = this.#connection.othersVersion()
    this.#revision = this.#connection.lastRevision()
    this.#timer = setInterval(() => this.#poll(), pollMs)
    this.#checkInPlace()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#connection.obstacle = null
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
    if (this.#looks++ % looksAPlace === 0) this.#checkInPlace()
    if (this.#connection.obstacle) return
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

  #checkInPlace(): void {
    const before = this.#connection.obstacle
    const now = displacement(this.#connection.path, this.#identity)
    if (now?.reason === before?.reason) return
    this.#connection.obstacle = now
    // Whoever reads again learns that it is away, or what it missed.
    this.#feed.resync()
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
    const keys = rows.sort(byRevision).flatMap((row) => removedKeysIn(row['key'] as string))
    return keys.length > watchPendingMax ? null : keys
  }
}

const writtenSql =
  'SELECT key, revision FROM entry WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?'
const removedSql =
  'SELECT key, revision FROM removal WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?'

const byRevision = (a: Row, b: Row): number => (a['revision'] as number) - (b['revision'] as number)

/** What is wrong with the path of an open file; null where it is still that file, or nobody can tell. */
function displacement(path: string, identity: string): StoreError | null {
  let found: string | null
  try {
    found = identityAt(path)
  } catch {
    return null
  }
  if (found === identity) return null
  return found === null
    ? new StoreError('down', `${path} was moved or deleted while it was open.`, 'Put it back.')
    : new StoreError('disposed', `${path} was replaced while it was open.`, 'Open the store again.')
}
