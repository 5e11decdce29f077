import { decodeTime } from 'ulid'
import {
  afterPart,
  Collection,
  type CollectionOptions,
  commitInOrder,
  creationMsMax,
  type Definition,
  decodeText,
  EntryIndex,
  encodeText,
  pooled,
  type RepairOptions,
  type SetBack,
  ulidMaker,
} from '../collection/index.ts'
import {
  compete,
  create,
  type Entry,
  lost,
  type Store,
  update,
  type Write,
} from '../store/internal.ts'
import { directoryHash, withParents } from './directory.ts'
import { type Session, sessionCodec } from './documents.ts'
import { AmbiguousSessionError, SessionNotFoundError } from './error.ts'
import {
  activeKey,
  directoriesPrefix,
  indexPrefix,
  keysOf,
  schemaVersionKey,
  sessionsPrefix,
  timeKey,
} from './keys.ts'

const schemaVersion = '1'
/** How many candidates an ambiguous session id names. */
const candidatesMax = 20

/** Which session is active in a directory, and which were. */
const byDirectory = new EntryIndex<Session>({
  prefix: directoriesPrefix,
  entries: (sid, { dir_hash, archived_at }) =>
    archived_at === null
      ? [[`${dir_hash}/active`, sid]]
      : [[`${dir_hash}/archived/${timeKey(archived_at)}/${sid}`, '']],
  idOf: (path, value) => (path.endsWith('/active') ? value : (path.split('/')[3] ?? null)),
})

/** Active sessions by id, which is by time; archived ones by the time of that. */
const byState = new EntryIndex<Session>({
  prefix: indexPrefix,
  entries: (sid, { dir_hash, archived_at }) => [
    [archived_at === null ? `active/${sid}` : `archived/${timeKey(archived_at)}/${sid}`, dir_hash],
  ],
  idOf: (path) => path.slice(path.lastIndexOf('/') + 1),
})

const definition: Definition<Session> = {
  noun: 'session',
  prefix: sessionsPrefix,
  codec: sessionCodec,
  indexes: [byDirectory, byState],
  remedy: "List the other sessions with 'np l'.",
  path: {
    of: (sid) => `${sid}/meta`,
    idOf: (path) => /^([^/]+)\/meta$/.exec(path)?.[1] ?? null,
  },
}

/**
 * Sessions, at most one of them active in a directory. What makes a session active is the entry of its
 * directory, which must be absent or stale; whatever a crash leaves undone after that, the next who comes to
 * the directory does.
 */
export class Sessions {
  readonly #store: Store
  readonly #sessions: Collection<Session>
  /** Ids of one millisecond go up as well, so that the newest comes first in lists. */
  readonly #nextSid: (ms: number) => string

  constructor(store: Store, options: CollectionOptions, onSetBack: (setBack: SetBack) => void) {
    this.#store = store
    this.#nextSid = ulidMaker(onSetBack)
    this.#sessions = new Collection(store, definition, options)
  }

  async get(sid: string): Promise<Session | null> {
    return (await this.#sessions.get(sid))?.value ?? null
  }

  /** Those that are there and can be read. */
  async getAll(sids: readonly string[]): Promise<Session[]> {
    return (await this.#sessions.getAll(sids)).map(({ value }) => value)
  }

  /** The session of a directory, by its canonical path: the one that is active, or a new one. */
  start(path: string, now: number): Promise<{ session: Session; isNew: boolean }> {
    const sid = this.#nextSid(now)
    const key = activeKey(directoryHash(path))
    const progress = { isBegun: false }
    const startedAt = performance.now()
    const attempt = async () => {
      // An answer was lost, but maybe not the session; it may even have been archived since.
      const own = progress.isBegun ? await this.get(sid) : null
      const there = own ? null : await this.#store.get(key)
      const current = own ?? (there && (await this.#activeBy(there, path)))
      if (current && current.sid !== sid) return { session: current, isNew: false }
      const session = current ?? newSession(sid, path)
      const claim = written(there, key, sid)
      const writes = current ? [] : [claim, ...(await this.#missingParts(session))]
      if (!(await commitInOrder(this.#store, writes, progress))) return lost
      const placed = await this.#placed(session, startedAt)
      return placed ? { session: placed, isNew: placed.sid === sid } : lost
    }
    const rest = () => compete(`the session of ${path}`, attempt)
    return afterPart(`A session of ${path} may have been started`, rest, progress)
  }

  /** The session that is active in a directory, or in the nearest one above it. */
  async find(path: string): Promise<Session | null> {
    const [here, ...above] = withParents(path)
    // Most often it is here; elsewhere a remote store is not asked level by level.
    return (await this.#firstActive([here as string])) ?? this.#firstActive(above)
  }

  /** The id of the session that was archived last in exactly this directory. */
  async lastArchived(path: string): Promise<string | null> {
    const prefix = `${directoriesPrefix}/${directoryHash(path)}/archived`
    for await (const { key } of this.#store.list(prefix, { reverse: true, limit: 1 }))
      return key.slice(key.lastIndexOf('/') + 1)
    return null
  }

  /** The other session that is active in the directory of this one, where both are; null without one. */
  async rivalOf(sid: string): Promise<string | null> {
    const session = await this.get(sid)
    if (session?.state !== 'active') return null
    const entry = await this.#store.get(activeKey(session.dir_hash))
    const named = entry && decodeText(entry.value)
    return named === sid ? null : named
  }

  /** The other session that is active in the directory of this one; null without one. */
  async successorOf({ sid, dir_hash }: Session): Promise<string | null> {
    const entry = await this.#store.get(activeKey(dir_hash))
    const named = entry && (await this.get(decodeText(entry.value)))
    return named?.state === 'active' && named.sid !== sid ? named.sid : null
  }

  /** Says whether it was active; null where there is no such session. */
  async archive(sid: string, now: string): Promise<{ session: Session; changed: boolean } | null> {
    const outcome = await this.#sessions.change(sid, (session) =>
      session.state === 'archived'
        ? session
        : {
            ...session,
            state: 'archived',
            archived_at: now,
            last_updated_at: latest(now, session.last_updated_at),
          },
    )
    return outcome && { session: outcome.after, changed: outcome.after !== outcome.before }
  }

  /** Ids of active sessions, newest first, then of archived ones, newest first. */
  async *ids(): AsyncGenerator<string> {
    const newestFirst = { reverse: true } as const
    for (const state of ['active', 'archived'])
      for await (const { key } of this.#store.list(`${indexPrefix}/${state}`, newestFirst))
        yield key.slice(key.lastIndexOf('/') + 1)
  }

  /** The session whose id starts so. Throws {@link SessionNotFoundError} or {@link AmbiguousSessionError}. */
  async resolve(prefix: string): Promise<Session> {
    const ids: string[] = []
    let count = 0
    for await (const sid of this.startingWith(prefix)) if (count++ < candidatesMax) ids.push(sid)
    if (count > 1) throw new AmbiguousSessionError(prefix, ids, count)
    const session = ids[0] === undefined ? null : await this.get(ids[0])
    if (!session) throw new SessionNotFoundError(prefix)
    return session
  }

  /** Ids of sessions that start so. Keys of a session lie together: each is stepped over at once. */
  async *startingWith(prefix: string): AsyncGenerator<string> {
    const isAny = prefix === ''
    const before = isAny ? undefined : `${sessionsPrefix}/${prefix}\u{10FFFF}`
    for (let after = isAny ? undefined : `${sessionsPrefix}/${prefix}`; ; ) {
      let sid: string | undefined
      for await (const { key } of this.#store.list(sessionsPrefix, { after, before, limit: 1 }))
        sid = key.split('/')[2] as string
      if (sid === undefined) return
      yield sid
      // '0' is the character after '/'.
      after = `${sessionsPrefix}/${sid}0`
    }
  }

  repair(options?: RepairOptions) {
    return this.#sessions.repair(options)
  }

  async #firstActive(directories: readonly string[]): Promise<Session | null> {
    const entries = await pooled(directories, (directory) =>
      this.#store.get(activeKey(directoryHash(directory))),
    )
    for (const [at, entry] of entries.entries()) {
      const session = entry && (await this.#activeBy(entry, directories[at] as string))
      if (session) return session
    }
    return null
  }

  /** The session that an entry of a directory names, completed if need be; null where it is not active. */
  async #activeBy(seen: Entry, path: string): Promise<Session | null> {
    const startedAt = performance.now()
    const session = await compete(`the session of ${path}`, async (nth) => {
      const entry = nth === 1 ? seen : await this.#store.get(seen.key)
      if (entry === null) return null
      const sid = decodeText(entry.value)
      const there = await this.get(sid)
      if (there) return there
      const completed = newSession(sid, path)
      // A repair that has seen the entry stand without a session may be about to remove it. Then it loses.
      const claim = update(entry, entry.value)
      const parts = [claim, ...(await this.#missingParts(completed))]
      const isDone = await commitInOrder(this.#store, parts)
      return (isDone && (await this.#placed(completed, startedAt))) || lost
    })
    return session?.state === 'active' ? session : null
  }

  /**
   * The session that has the place of this one, which has just been made; null where that changes right now. What took long
   * may have lost its place to a repair, which took its entry for a leftover, and then to another session. To that it
   * gives way: nobody has been told of it.
   */
  async #placed(made: Session, startedAt: number): Promise<Session | null> {
    if (performance.now() - startedAt <= creationMsMax) return made
    const key = activeKey(made.dir_hash)
    const entry = await this.#store.get(key)
    const named = entry && decodeText(entry.value)
    const own = (await this.get(made.sid)) ?? made
    const rival = named === null || named === own.sid ? null : await this.get(named)
    if (rival?.state === 'active') {
      await this.archive(own.sid, own.last_updated_at)
      return rival
    }
    if (own.state === 'archived') return own
    if (entry && named !== own.sid && !rival) return null
    const place = written(entry, key, own.sid)
    const listKey = `${indexPrefix}/active/${own.sid}`
    // A repair that is about to take either entry for a leftover loses against the new revision.
    const listed = written(await this.#store.get(listKey), listKey, own.dir_hash)
    const rest = (await this.#missingParts(own)).filter((write) => write.key !== listKey)
    return (await commitInOrder(this.#store, [place, listed, ...rest])) ? own : null
  }

  /** What there is of a session besides the entry of its directory, as far as it is not there yet. */
  async #missingParts(session: Session): Promise<Write[]> {
    const { sid, dir_hash } = session
    const parts: [string, Uint8Array][] = [
      [schemaVersionKey, encodeText(schemaVersion)],
      [keysOf(sid).lastSeq, new Uint8Array(8)],
      [`${indexPrefix}/active/${sid}`, encodeText(dir_hash)],
      [keysOf(sid).meta, sessionCodec.encode(session)],
    ]
    const there = await Promise.all(parts.map(([key]) => this.#store.get(key)))
    return parts.filter((_, at) => !there[at]).map(([key, bytes]) => create(key, bytes))
  }
}

/** The write that makes a key hold a text, whatever it held when it was read. */
const written = (entry: Entry | null, key: string, text: string): Write =>
  entry ? update(entry, encodeText(text)) : create(key, encodeText(text))

/** Clocks may differ: what was done later may come with an earlier time. */
const latest = (one: string, other: string): string => (one > other ? one : other)

/** A session as it begins. Its id knows when. */
function newSession(sid: string, path: string): Session {
  const created_at = new Date(decodeTime(sid)).toISOString()
  return {
    sid,
    dir_path: path,
    dir_hash: directoryHash(path),
    state: 'active',
    created_at,
    archived_at: null,
    last_updated_at: created_at,
  }
}
