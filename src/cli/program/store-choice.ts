import { join, resolve } from 'node:path'
import { StoreError, schemeOf, shownUrl, storeFile } from '../../store/internal.ts'
import type { Context } from './context.ts'
import { homeOf, type Io } from './io.ts'
import { foreignOwnerOf, isFileInside, withLinksFollowed } from './opened-file.ts'
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
  return namedStore(value, folder === undefined ? io.cwd : () => folder)
}

/** With a relative path of a SQLite file made absolute; anything else is for `openStore` to judge. */
function namedStore(url: string, folder: () => string): StoreChoice {
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

/**
 * Whether a store lies inside a folder once all links are followed. One in memory does, for it begins empty. A URL that
 * nobody understands does not.
 */
export function isStoreInside(url: string, folder: string): boolean {
  if (schemeOf(url)?.sharedBy === 'process') return true
  const file = fileOfStore(url)
  return file !== null && isFileInside(file, folder)
}

/** The file that a store really is, if links lead to another one than its URL names; else null. */
export function linkedFileOf(url: string): string | null {
  const file = fileOfStore(url)
  const real = file === null ? null : withLinksFollowed(file)
  return real === null || real === resolve(file as string) ? null : real
}

/** Whether a store is a file that another user has made, which is theirs to read. */
export function isStoreForeign(url: string): boolean {
  const file = fileOfStore(url)
  return file !== null && foreignOwnerOf(file) !== null
}

/** Null for what is no file. */
function fileOfStore(url: string): string | null {
  try {
    return storeFile(url)
  } catch (error) {
    if (error instanceof StoreError) return null
    throw error
  }
}

/** Parameters that hold a secret, or the path of one. */
const secretParameter = /pass|secret|token|key|cred|cert|tls_ca/i

/**
 * Whether a URL brings credentials along, or names a file of them. A password may hold characters that end a URL's host for
 * a strict reader, so this one is generous.
 */
export function hasCredentials(url: string): boolean {
  if (/^(?:sqlite|memory):/.test(url)) return false
  const [, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url) ?? []
  if (/^[^/]*@|:.*@/s.test(rest)) return true
  const [, query = ''] = /\?(.*)$/s.exec(rest) ?? []
  return [...new URLSearchParams(query)].some(
    ([name, value]) => secretParameter.test(name) || value.split(',').some(hasCredentials),
  )
}

/** A store for a person, with the workspace that it belongs to. */
export const shownStore = ({ url, workspace }: StoreChoice): string =>
  `${shownUrl(url)}${workspace === null ? '' : ` (workspace ${workspace})`}`

/** Names the store where it depends on the directory. The user knows a store that a setting names. */
export async function noteWorkspaceStore(context: Context): Promise<void> {
  const choice = await context.storeChoice()
  if (choice.workspace !== null) context.out.note(`The store is ${shownStore(choice)}.`)
}
