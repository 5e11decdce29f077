import { join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import type { FoundSetting } from './setting.ts'

/** The store that a command works on. */
export interface StoreChoice {
  readonly url: string
  /** Whether no setting names one. */
  readonly isDefault: boolean
}

/** The store that a setting names; without one, that of the program, or else the user's own file. */
export function chooseStore(
  setting: FoundSetting | null,
  io: Io,
  defaultStore: (io: Io) => string = userStore,
): StoreChoice {
  if (setting === null) return { url: defaultStore(io), isDefault: true }
  const { value, folder } = setting
  return named(value, folder === undefined ? io.cwd : () => folder)
}

/** With a relative path of a SQLite file made absolute; anything else is for `openStore` to judge. */
function named(url: string, folder: () => string): StoreChoice {
  const path = /^sqlite:((?![/~:]).+)$/s.exec(url)?.[1]
  return { url: path === undefined ? url : `sqlite:${join(folder(), path)}`, isDefault: false }
}

function userStore(io: Io): string {
  const given = io.env['XDG_DATA_HOME'] ?? ''
  const dataHome = given.startsWith('/') ? given : join(homeOf(io), '.local', 'share')
  return `sqlite:${join(dataHome, 'holdfast', 'holdfast.db')}`
}
