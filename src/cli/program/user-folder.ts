import { join } from 'node:path'
import { homeOf, type Io } from './io.ts'

/** Where the user's own settings are: in `$XDG_CONFIG_HOME`; a relative one counts as unset, as the standard says. */
export function userFolder(io: Io): string {
  const given = io.env['XDG_CONFIG_HOME'] ?? ''
  return join(given.startsWith('/') ? given : join(homeOf(io), '.config'), 'holdfast')
}
