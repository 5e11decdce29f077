import { Refusal, shown } from '../collection/index.ts'
import { isOwnAgent } from './name.ts'
import { type Caller, includes, type Role } from './role.ts'

/** A caller asks for what their token does not allow. */
export class ForbiddenError extends Refusal {
  override readonly name = 'ForbiddenError'
  readonly kind = 'refused'
  readonly code: 'FORBIDDEN_ROLE' | 'FORBIDDEN_AGENT'
  readonly details: Readonly<Record<string, string>>

  constructor(
    code: ForbiddenError['code'],
    [what, next]: readonly [string, string],
    details: ForbiddenError['details'],
  ) {
    super(what, next)
    this.code = code
    this.details = details
  }
}

/** Throws where a caller has not the role that is needed. */
export function checkRole({ name, role }: Caller, needed: Role): void {
  if (includes(role, needed)) return
  throw new ForbiddenError(
    'FORBIDDEN_ROLE',
    [`This needs the role ${needed}; the token ${name} has the role ${role}.`, remedy(needed)],
    { needed, role },
  )
}

/** Throws where a caller may not take what an agent has claimed: from another's it is a forced release, for admins. */
export function checkTaking(caller: Caller, agent: string): void {
  if (caller.name === null || !isOwnAgent(caller.name, agent)) checkRole(caller, 'admin')
}

const remedy = (needed: Role): string =>
  needed === 'admin' ? 'Ask an administrator.' : `Use a token with the role ${needed}.`

/**
 * The agent that a caller acts as: of a named token only its name, or that and a suffix, so that nobody acts in another's
 * name; the name itself where none is given. Throws where another is.
 */
export function agentOf<T extends string | undefined>({ name }: Caller, given: T): string | T {
  if (name === null) return given
  if (given === undefined) return name
  if (isOwnAgent(name, given)) return given
  throw new ForbiddenError(
    'FORBIDDEN_AGENT',
    [
      `The token ${name} can't act as ${shown(given)}.`,
      `Name no agent, or one that begins with ${name}/.`,
    ],
    { name, agent: given.slice(0, 200) },
  )
}
