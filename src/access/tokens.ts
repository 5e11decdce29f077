import { Collection } from '../collection/index.ts'
import { checkStore, mutate, type Store } from '../store/internal.ts'
import {
  NewerRegisterError,
  type Register,
  registerDefinition,
  registerId,
  registerKey,
  type StoredToken,
  tokensMax,
} from './document.ts'
import {
  InvalidTokenError,
  TokenExistsError,
  TokenNotFoundError,
  TokensRefusedError,
} from './error.ts'
import { checkName } from './name.ts'
import { type Role, roles } from './role.ts'
import { digestOf, newSecret } from './secret.ts'

/** A token as it may be shown. */
export interface Token extends Omit<StoredToken, 'sha256'> {
  readonly expired: boolean
}

/** How long a token works: a time of its own, or so long from now by the store's clock; for good if null. */
export type Lifetime = { readonly untilMs: number } | { readonly forMs: number } | null

/** All that there is to know about the tokens of a store. */
export interface TokenList {
  readonly tokens: readonly Token[]
  /** Whether requests need a token. */
  readonly closed: boolean
}

/** Times last until the year 9999, as RFC 3339 does. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const nothing: Register = { v: 1, closed: false, tokens: [] }

/** The named tokens of a store, for whoever administers it. */
export class Tokens {
  readonly #store: Store
  readonly #registers: Collection<Register>

  constructor(store: Store) {
    checkStore(store)
    this.#store = store
    this.#registers = new Collection(store, registerDefinition)
  }

  /** Adds a token, and answers with its secret, which nobody can read again. From then on requests need a token. */
  async add(
    name: string,
    role: Role,
    lifetime: Lifetime = null,
  ): Promise<{ secret: string; token: Token }> {
    checkName(name)
    if (!roles.includes(role))
      throw new InvalidTokenError(`There is no such role.`, `Give one of ${roles.join(', ')}.`)
    const nowMs = await this.#store.now()
    const expires = expiryOf(lifetime, nowMs)
    const created = new Date(nowMs).toISOString()
    const secret = newSecret()
    const stored: StoredToken = { name, role, sha256: digestOf(secret), created, expires }
    await this.#change((register) => withToken(register, stored))
    return { secret, token: shownToken(stored, nowMs) }
  }

  async list(): Promise<TokenList> {
    const { value } = (await this.#registers.get(registerId)) ?? { value: nothing }
    const nowMs = await this.#store.now()
    const tokens = value.tokens
      .map((token) => shownToken(token, nowMs))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { tokens, closed: value.closed }
  }

  /** Takes a token away; `left` says how many are. Requests go on to need one. */
  async revoke(name: string): Promise<{ token: Token; left: number }> {
    const nowMs = await this.#store.now()
    let meant: StoredToken | undefined
    const { tokens } = await this.#change((register) => {
      const found = register.tokens.find((token) => token.name === name)
      // Where an answer was lost it may be gone by our own doing, and the name another's by now.
      if (meant !== undefined && found?.sha256 !== meant.sha256) return register
      if (found === undefined) throw notFound(name)
      meant = found
      return { ...register, tokens: register.tokens.filter((token) => token !== found) }
    })
    return { token: shownToken(meant as StoredToken, nowMs), left: tokens.length }
  }

  /** Takes all tokens away, and replaces a register that can't be read. Requests go on to need one. */
  async revokeAll(): Promise<{ changed: boolean }> {
    let changed = false
    await mutate(this.#store, registerKey, (entry) => {
      const register = entry === null ? nothing : readable(entry.value)
      changed = register === null || register.tokens.length > 0
      if (!changed) return undefined
      return registerDefinition.codec.encode({ v: 1, closed: true, tokens: [] })
    })
    return { changed }
  }

  /** Lets requests without a token in again; `changed` says whether they were not. Refused while a token works. */
  async open(): Promise<{ changed: boolean }> {
    const nowMs = await this.#store.now()
    let changed = false
    await this.#change((register) => {
      const active = register.tokens.filter((token) => !isExpiredAt(token, nowMs)).length
      if (active > 0)
        throw new TokensRefusedError(
          `${active === 1 ? 'A token is' : `${active} tokens are`} in use.`,
          'Revoke every token first. "holdfast token list" shows them.',
        )
      changed ||= register.closed
      return register.closed ? nothing : register
    })
    return { changed }
  }

  /** The register as it is afterwards. */
  async #change(next: (register: Register) => Register): Promise<Register> {
    const changed = await this.#registers.change(registerId, next)
    if (changed) return changed.after
    const first = next(nothing)
    // Whoever changes nothing makes nothing; and where somebody else was first, theirs is changed.
    if (first === nothing || (await this.#registers.create(registerId, first))) return first
    return this.#change(next)
  }
}

/** A register as it is stored; null where it is damaged. */
function readable(value: Uint8Array): Register | null {
  try {
    return registerDefinition.codec.decode(value, registerId)
  } catch (error) {
    if (!(error instanceof NewerRegisterError)) return null
    throw new TokensRefusedError(
      'A newer Holdfast wrote the tokens of this store.',
      'Revoke them with that release.',
    )
  }
}

function withToken(register: Register, stored: StoredToken): Register {
  const same = register.tokens.find(({ name }) => name === stored.name)
  // Where an answer was lost it may be there by our own doing.
  if (same?.sha256 === stored.sha256) return register
  if (same !== undefined)
    throw new TokenExistsError(
      `There is a token ${stored.name} already.`,
      'Choose another name, or revoke that token first.',
    )
  if (register.tokens.length >= tokensMax)
    throw new TokensRefusedError(
      `There are ${tokensMax} tokens, which is the most a store can have.`,
      'Revoke those that are not needed.',
    )
  return { v: 1, closed: true, tokens: [...register.tokens, stored] }
}

function expiryOf(lifetime: Lifetime, nowMs: number): string | null {
  if (lifetime === null) return null
  const ms = 'untilMs' in lifetime ? lifetime.untilMs : nowMs + lifetime.forMs
  if (!(ms <= timeMsMax))
    throw new InvalidTokenError('The token would outlast the year 9999.', 'Give an earlier time.')
  if (ms > nowMs) return new Date(ms).toISOString()
  throw new InvalidTokenError(
    `The token would have expired already: it is ${new Date(nowMs).toISOString()} by the store's clock.`,
    'Give a later time.',
  )
}

const shownToken = ({ name, role, created, expires }: StoredToken, nowMs: number): Token => ({
  name,
  role,
  created,
  expires,
  expired: isExpiredAt({ expires }, nowMs),
})

const isExpiredAt = ({ expires }: Pick<StoredToken, 'expires'>, nowMs: number): boolean =>
  expires !== null && Date.parse(expires) <= nowMs

const notFound = (name: string): TokenNotFoundError =>
  new TokenNotFoundError(
    `There is no token ${JSON.stringify(name.slice(0, 80))}.`,
    '"holdfast token list" shows those that there are.',
  )
