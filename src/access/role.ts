import { type Role, roles } from '../schema/index.ts'

export { type Role, roles }

/** Who asks: the name of their token, null where nobody has to say it, and what they may do. */
export interface Caller {
  readonly name: string | null
  readonly role: Role
}

/** Who asks a server that lets everybody in. */
export const anybody: Caller = { name: null, role: 'admin' }

/** Who brings the server's own token, which has no name. */
export const owner: Caller = { name: null, role: 'admin' }

/** Whether a role includes another. */
export const includes = (had: Role, needed: Role): boolean =>
  roles.indexOf(had) >= roles.indexOf(needed)
