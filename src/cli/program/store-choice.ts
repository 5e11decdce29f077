import { join } from 'node:path'
import { homeOf, type Io } from './io.ts'

/** The store that a command works on. */
export interface StoreChoice {
  readonly url: string
  /** Whether no setting names one. */
  readonly isDefault: boolean
}

/** What a program knows of stores beside what all programs do. */
interface StoreSources {
  readonly warn: (text: string) => void
  readonly environmentStore?: ((io: Io) => string | undefined) | undefined
  readonly defaultStore?: ((io: Io) => string) | undefined
}

/** By flag, environment, project file, user file, default: the first that names one. */
export async function chooseStore(
  flag: string | undefined,
  io: Io,
  { warn, environmentStore, defaultStore = userStore }: StoreSources,
): Promise<StoreChoice> {
  if (flag !== undefined) return named(flag, io.cwd)
  const { HOLDFAST_STORE: given } = io.env
  if (given) return named(given, io.cwd)
  const ofProgram = environmentStore?.(io)
  if (ofProgram !== undefined) return named(ofProgram, io.cwd)
  const { configuredStore } = await import('./config.ts')
  const setting = await configuredStore(io, warn)
  if (setting) return named(setting.url, () => setting.folder)
  return { url: defaultStore(io), isDefault: true }
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
