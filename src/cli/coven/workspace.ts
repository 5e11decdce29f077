import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RetentionOptions } from '../../tree/index.ts'
import type { Context } from '../program/context.ts'
import type { Io } from '../program/io.ts'

/** Where a command works. */
export interface Workspace {
  readonly storeUrl: string
  /** The `.coven` of the working directory, or of the nearest one above that has one. */
  readonly folder: string | null
  readonly config: RetentionOptions
  /** Whether no setting names a store, so that it is the workspace's own. */
  readonly isDefaultStore: boolean
}

/** Throws a UsageError where the workspace has settings that can't be. */
export async function workspaceOf(context: Context): Promise<Workspace> {
  const { configIn } = await import('./config.ts')
  const folder = folderAbove(context.io)
  const { url, isDefault } = await context.storeChoice()
  const config = await configIn(folder, (text) => context.out.warn(text))
  return { storeUrl: url, folder, config, isDefaultStore: isDefault }
}

const folderName = '.coven'

/** The `.coven` that the working directory lies in; null where there is none. */
export function folderAbove(io: Io): string | null {
  let at: string
  try {
    at = io.cwd()
  } catch {
    return null
  }
  for (; ; at = dirname(at)) {
    const folder = join(at, folderName)
    if (isFolder(folder)) return folder
    if (at === dirname(at)) return null
  }
}

/** What may not even be looked at is none of ours. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The `.coven` of the working directory itself, whether it is there or not. */
export const folderHere = (io: Io): string => join(io.cwd(), folderName)

export const storeIn = (folder: string): string => `sqlite:${join(folder, 'tasks.db')}`

/** The workspace's own store; one that is still to be made lies in the working directory. */
export const defaultStore = (io: Io): string => storeIn(folderAbove(io) ?? folderHere(io))

export const matchersIn = (folder: string): string => join(folder, 'grimoire-matchers.yaml')
