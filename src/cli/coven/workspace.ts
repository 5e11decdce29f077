import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RetentionOptions } from '../../tree/internal.ts'
import type { Context } from '../program/context.ts'
import type { Io } from '../program/io.ts'
import { checkFolderOwner } from '../program/opened-file.ts'
import { type DefaultStore, userStore } from '../program/store-choice.ts'
import { ownStore } from './workspace-store.ts'

/** Where a command works. */
export interface Workspace {
  readonly storeUrl: string
  /**
   * The `.coven` of the working directory, or of the nearest one above that has one; null where there is none. Where
   * the store is the workspace's own, and still to be made, it is the one that will be made with it.
   */
  readonly folder: string | null
  readonly config: RetentionOptions
  /** Whether no setting names a store, so that it is the workspace's own. */
  readonly isDefaultStore: boolean
}

/** Throws a UsageError where the workspace has settings that can't be, a TrustError where they are another user's. */
export async function workspaceOf(context: Context): Promise<Workspace> {
  const [{ configIn }, { judgeOf }] = await Promise.all([
    import('./config.ts'),
    import('./workspace-trust.ts'),
  ])
  const { url, workspace, isDefault } = await context.storeChoice()
  const folder = folderAbove(context.io) ?? workspace
  const judge = folder === null ? () => null : await judgeOf(context, folder)
  const warn = (text: string) => context.out.warn(text)
  const config = await configIn(folder, warn, (file) => judge(file, 'workspace'))
  return { storeUrl: url, folder, config, isDefaultStore: isDefault }
}

const folderName = '.coven'

/** The `.coven` that the working directory lies in; null where there is none. Throws a TrustError for another user's. */
export function folderAbove(io: Io): string | null {
  let at: string
  try {
    at = io.cwd()
  } catch {
    return null
  }
  for (; ; at = dirname(at)) {
    const folder = join(at, folderName)
    if (isFolder(folder)) {
      checkFolderOwner(folder)
      return folder
    }
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

/** The workspace's own store; one that is still to be made lies in the working directory. */
export const defaultStore = (io: Io): DefaultStore => ownStore(folderAbove(io) ?? folderHere(io))

/** For programs that work with more than trees: the workspace's store inside of one, elsewhere the user's. */
export function storeInsideWorkspace(io: Io): DefaultStore {
  const folder = folderAbove(io)
  return folder === null ? userStore(io) : ownStore(folder)
}

export const matchersFile = 'grimoire-matchers.yaml'

export const matchersIn = (folder: string): string => join(folder, matchersFile)
