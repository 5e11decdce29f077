import { Collection } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { ForwardClock } from './clock.ts'
import { type Register, registerDefinition, registerId, type StoredToken } from './document.ts'
import { anybody, type Caller, owner } from './role.ts'
import { digestOf, isSecret } from './secret.ts'
import { Watchers } from './watchers.ts'

/** Why somebody is not let in. */
export type Stranger = 'no token' | 'unknown token' | 'expired token'

/** How long a server goes by what it has read. A change counts within a second everywhere, with time left for the read. */
const freshMs = 500
/** The same where a token is brought that was not in it: somebody may have added it just now, and uses it at once. */
const newMs = 50

/** A register as it was read, by what is looked up in it. */
interface Reading {
  readonly register: Register | null
  readonly byDigest: ReadonlyMap<string, StoredToken>
  readonly expires: boolean
}

/** A read that is under way. */
interface Pending {
  readonly startedAt: number
  readonly done: Promise<void>
}

const nothingRead: Reading = { register: null, byDigest: new Map(), expires: false }

/**
 * The tokens of a store as a server knows them. It reads them when somebody asks and what it has read is old, and each second
 * while somebody is watched: an idle server reads nothing. Where they can't be read, nobody is let in.
 */
export class KnownTokens {
  readonly #registers: Collection<Register>
  readonly #clock: ForwardClock
  readonly #watchers: Watchers
  /** Whose token a caller has brought; those who brought none are not in it. */
  readonly #holders = new WeakMap<Caller, StoredToken>()
  readonly #callers = new WeakMap<StoredToken, Caller>()
  #reading = nothingRead
  #readAt = Number.NEGATIVE_INFINITY
  #pending: Pending | null = null

  constructor(store: Store) {
    this.#registers = new Collection(store, registerDefinition)
    this.#clock = new ForwardClock(store)
    this.#watchers = new Watchers({
      look: () => this.#read(),
      knownAt: () => this.#readAt,
      mayStay: (caller) => this.#mayStay(caller),
    })
  }

  /** Who brings this token, or none; without a promise where that is known. */
  find(secret: string | null): Caller | Stranger | Promise<Caller | Stranger> {
    const ageMs = performance.now() - this.#readAt
    if (ageMs < freshMs) {
      const found = this.#findKnown(secret)
      const mayBeNew = ageMs > newMs && (found === anybody || found === 'unknown token')
      if (!mayBeNew || !isSecret(secret)) return found
    }
    return this.#readOnce().then(() => this.#findKnown(secret))
  }

  /** Whether requests need a token, as of now. */
  async isClosed(): Promise<boolean> {
    await this.#readOnce()
    return this.#isClosed
  }

  /** Whether a caller whom we have let in a while ago still may ask. */
  async mayStill(caller: Caller): Promise<boolean> {
    if (caller === owner) return true
    await this.#readOnce()
    return this.#mayStay(caller)
  }

  /** Calls back once a caller whom we have let in may no longer ask, which is noticed within two seconds. */
  watch(caller: Caller, lapsed: () => void): () => void {
    // The server's own token works as long as the server does.
    if (caller === owner) return () => {}
    return this.#watchers.add(caller, lapsed)
  }

  get #isClosed(): boolean {
    return this.#reading.register?.closed === true
  }

  #findKnown(secret: string | null): Caller | Stranger {
    if (!this.#isClosed) return anybody
    if (secret === null) return 'no token'
    // Who can time the look-up learns something of a hash, which leads to no token.
    const token = this.#reading.byDigest.get(digestOf(secret))
    if (token === undefined) return 'unknown token'
    return this.#isExpired(token) ? 'expired token' : this.#callerOf(token)
  }

  #callerOf(token: StoredToken): Caller {
    const known = this.#callers.get(token)
    if (known) return known
    const caller: Caller = { name: token.name, role: token.role }
    this.#callers.set(token, caller)
    this.#holders.set(caller, token)
    return caller
  }

  #mayStay(caller: Caller): boolean {
    const holder = this.#holders.get(caller)
    if (holder === undefined) return !this.#isClosed
    const token = this.#reading.byDigest.get(holder.sha256)
    return token !== undefined && token.role === holder.role && !this.#isExpired(token)
  }

  #isExpired({ expires }: StoredToken): boolean {
    return expires !== null && Date.parse(expires) <= this.#clock.now()
  }

  /** One read serves all who wait for it, but not who comes when it is old: it may know nothing of what has changed since. */
  #readOnce(): Promise<void> {
    const startedAt = performance.now()
    if (this.#pending !== null && startedAt - this.#pending.startedAt < freshMs)
      return this.#pending.done
    const pending: Pending = {
      startedAt,
      done: this.#read().finally(() => {
        if (this.#pending === pending) this.#pending = null
      }),
    }
    this.#pending = pending
    return pending.done
  }

  async #read(): Promise<void> {
    const startedAt = performance.now()
    const register = (await this.#registers.get(registerId))?.value ?? null
    const reading = register === this.#reading.register ? this.#reading : readingOf(register)
    if (reading.expires) await this.#clock.look()
    // Of two reads the one that began later knows more.
    if (startedAt < this.#readAt) return
    this.#reading = reading
    this.#readAt = startedAt
  }
}

function readingOf(register: Register | null): Reading {
  const tokens = register?.tokens ?? []
  return {
    register,
    byDigest: new Map(tokens.map((token) => [token.sha256, token])),
    expires: tokens.some(({ expires }) => expires !== null),
  }
}
