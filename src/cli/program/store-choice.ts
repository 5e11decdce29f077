import { join } from 'node:path'
import { homeOf, type Io } from './io.ts'

/** The URL of the store that a command works on: flag, environment, project file, user file, default. */
export async function chooseStore(
  flag: string | undefined,
  io: Io,
  warn: (text: string) => void,
): Promise<string> {
  if (flag !== undefined) return fromFolder(flag, io.cwd)
  const { HOLDFAST_STORE: named } = io.env
  if (named) return fromFolder(named, io.cwd)
  const { configuredStore } = await import('./config.ts')
  const setting = await configuredStore(io, warn)
  return setting ? fromFolder(setting.url, () => setting.folder) : defaultStore(io)
}

/** A relative path of a SQLite file, made absolute; anything else is for `openStore` to judge. */
function fromFolder(url: string, folder: () => string): string {
  const path = /^sqlite:((?![/~:]).+)$/s.exec(url)?.[1]
  return path === undefined ? url : `sqlite:${join(folder(), path)}`
}

function defaultStore(io: Io): string {
  const given = io.env['XDG_DATA_HOME'] ?? ''
  const dataHome = given.startsWith('/') ? given : join(homeOf(io), '.local', 'share')
  return `sqlite:${join(dataHome, 'holdfast', 'holdfast.db')}`
}
