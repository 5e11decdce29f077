import { type Definition, jsonCodec } from '../collection/index.ts'
import { type Role, roles } from './role.ts'

/** A named token as it is stored: never the token itself. */
export interface StoredToken {
  readonly name: string
  readonly role: Role
  /** Of the token; hex. */
  readonly sha256: string
  /** When it was added, by the store's clock; RFC 3339. */
  readonly created: string
  /** When it stops working; null for never. */
  readonly expires: string | null
}

/**
 * All tokens of a store, in one document: one read tells a server everything, on stores without transactions there is nothing
 * between "requests need a token" and the first token, and a revoked one leaves nothing behind. It is not a model: no API
 * lists it, and exports leave it out.
 */
export interface Register {
  readonly v: 1
  /** Whether every request needs a token: from the first one until somebody opens the store again. */
  readonly closed: boolean
  readonly tokens: readonly StoredToken[]
}

/** The register's only document. */
export const registerId = 'tokens'

/** Where it lies. */
export const registerKey = 'holdfast_access/tokens'

/** How many tokens there may be: all of them must fit into one value. */
export const tokensMax = 1_000

export const registerDefinition: Definition<Register> = {
  noun: 'register of tokens',
  prefix: 'holdfast_access',
  codec: jsonCodec(checked),
  indexes: [],
  remedy:
    'Servers refuse every request that needs it. To replace it, run "holdfast token revoke --all" and add tokens again.',
  recentMax: 1,
}

/** A newer Holdfast wrote it. */
export class NewerRegisterError extends Error {
  override readonly name = 'NewerRegisterError'

  constructor(version: number) {
    super(`its version is ${version}, not 1`)
  }
}

/** What a newer Holdfast wrote may mean what we don't know: then nobody gets in. */
function checked(parsed: unknown): Register {
  const { v, closed, tokens } = (parsed ?? {}) as Partial<Register>
  if (typeof v === 'number' && v > 1) throw new NewerRegisterError(v)
  if (v !== 1) throw new Error('it is no register')
  if (typeof closed !== 'boolean' || !Array.isArray(tokens)) throw new Error('it is no register')
  for (const token of tokens) if (!isToken(token)) throw new Error('it holds what is no token')
  return { v, closed, tokens }
}

const isToken = (value: unknown): value is StoredToken => {
  if (typeof value !== 'object' || value === null) return false
  const { name, role, sha256, created, expires } = value as Partial<StoredToken>
  return (
    typeof name === 'string' &&
    roles.includes(role as Role) &&
    /^[0-9a-f]{64}$/.test(String(sha256)) &&
    isTime(created) &&
    (expires === null || isTime(expires))
  )
}

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value))
