import { decodeTime } from 'ulid'
import { States, type Window } from './states.ts'

/** A session as it is stored. */
export interface Session {
  readonly sid: string
  readonly dir_path: string
  readonly dir_hash: string
  readonly state: 'active' | 'archived'
  readonly created_at: string
  readonly archived_at: string | null
  readonly last_updated_at: string
}

/** Each call of start has a number, which shows in the time of the session that it makes. */
export const callOf = (sid: string): number => decodeTime(sid) % 1000

const decoder = new TextDecoder()

/** Sessions, and the entries by which they are found; follows all that is written of them. */
export class SessionEntries {
  readonly states = new States<Session>()
  /** All entries beside sessions, by key. */
  readonly entries = new Map<string, string>()
  readonly #isAtomic: boolean
  readonly #violated: (what: string) => void
  readonly #mustNotStart = new Set<number>()
  readonly #started = new Set<number>()

  constructor(isAtomic: boolean, violated: (what: string) => void) {
    this.#isAtomic = isAtomic
    this.#violated = violated
  }

  noteEntry(key: string, value: Uint8Array | null): void {
    if (value === null) this.entries.delete(key)
    else this.entries.set(key, decoder.decode(value))
    const sid = key.endsWith('/active') ? this.entries.get(key) : undefined
    if (sid !== undefined) this.#noteStart(sid)
  }

  noteSession(sid: string, after: Session | null, tick: number): void {
    const before = this.states.now(sid)
    if (JSON.stringify(before) === JSON.stringify(after)) return
    this.states.note(sid, after, tick)
    if (after === null) {
      this.#violated(`the session ${sid} was removed`)
      return
    }
    this.#noteStart(sid)
    if (after.sid !== sid || (before && before.dir_path !== after.dir_path))
      this.#violated(`${sid} has become another session`)
    if (before?.state === 'archived' && JSON.stringify(after) !== JSON.stringify(before))
      this.#checkArchived(before, after)
    // Elsewhere one that loses its place while it is made gives way, before anybody is told of it.
    if (after.state !== 'active' || before !== null || !this.#isAtomic) return
    for (const other of this.all())
      if (other.sid !== sid && other.state === 'active' && other.dir_hash === after.dir_hash)
        this.#violated(`${other.sid} and ${sid} are both active in ${after.dir_path}`)
  }

  /** What a call of start that was refused would have made may never be there. */
  notStarted(call: number): void {
    this.#mustNotStart.add(call)
    if (this.#started.has(call))
      this.#violated(`start ${call} was refused, yet its session is there`)
  }

  *all(): Generator<Session> {
    for (const sid of this.states.keys()) {
      const session = this.states.now(sid)
      if (session) yield session
    }
  }

  /** The entries that follow from sessions, and nothing else, are there. */
  check(): void {
    for (const what of this.differences()) this.#violated(what)
  }

  *differences(): Generator<string> {
    const wanted = new Map([...this.all()].flatMap(entriesOf))
    for (const [key, value] of wanted)
      if (this.entries.get(key) !== value)
        yield `${key} is ${this.entries.get(key)} instead of ${value}`
    for (const key of this.entries.keys())
      if (!wanted.has(key) && key !== 'np/meta/schema_version') yield `${key} follows from nothing`
  }

  /** Sessions of a directory that were active at any moment, or all the while. */
  activeIn(path: string, window: Window, all: boolean): string[] {
    const isActive = (session: Session | null) =>
      session?.state === 'active' && session.dir_path === path
    return [...this.states.keys()].filter((sid) => {
      const states = this.states.during(sid, window)
      return all ? states.every(isActive) : states.some(isActive)
    })
  }

  #checkArchived(before: Session, after: Session): void {
    const isTouched = after.state === 'archived' && after.archived_at === before.archived_at
    // Where commits are not atomic, an event may come while the session is being archived.
    if (!isTouched || this.#isAtomic) this.#violated(`${after.sid} has changed after its archival`)
  }

  #noteStart(sid: string): void {
    this.#started.add(callOf(sid))
    if (this.#mustNotStart.has(callOf(sid)))
      this.#violated(`start ${callOf(sid)} was refused, and its session came later`)
  }
}

function entriesOf({ sid, dir_hash, archived_at }: Session): [string, string][] {
  if (archived_at === null)
    return [
      [`np/dir/${dir_hash}/active`, sid],
      [`np/idx/active/${sid}`, dir_hash],
    ]
  const time = (BigInt(Date.parse(archived_at)) * 1_000_000n).toString(16).padStart(16, '0')
  return [
    [`np/dir/${dir_hash}/archived/${time}/${sid}`, ''],
    [`np/idx/archived/${time}/${sid}`, dir_hash],
  ]
}
