import { join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import type { FoundSetting } from './setting.ts'

/** The store of a program where no setting names one. */
export interface DefaultStore {
  readonly url: string
  /** The folder `.coven` that it belongs to; null where it is the user's own file. */
  readonly workspace: string | null
}

/** The store that a command works on. */
export interface StoreChoice extends DefaultStore {
  /** Whether no setting names one. */
  readonly isDefault: boolean
}

/** The store that a setting names; without one, that of the program, or else the user's own file. */
export function chooseStore(
  setting: FoundSetting | null,
  io: Io,
  defaultStore: (io: Io) => DefaultStore = userStore,
): StoreChoice {
  if (setting === null) return { ...defaultStore(io), isDefault: true }
  const { value, folder } = setting
  return named(value, folder === undefined ? io.cwd : () => folder)
}

/** With a relative path of a SQLite file made absolute; anything else is for `openStore` to judge. */
function named(url: string, folder: () => string): StoreChoice {
  const path = /^sqlite:((?![/~:]).+)$/s.exec(url)?.[1]
  const absolute = path === undefined ? url : `sqlite:${join(folder(), path)}`
  return { url: absolute, workspace: null, isDefault: false }
}

/** The file that is this user's, wherever they work. */
export function userStore(io: Io): DefaultStore {
  const given = io.env['XDG_DATA_HOME'] ?? ''
  const dataHome = given.startsWith('/') ? given : join(homeOf(io), '.local', 'share')
  return { url: `sqlite:${join(dataHome, 'holdfast', 'holdfast.db')}`, workspace: null }
}
