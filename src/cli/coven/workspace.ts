import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RetentionOptions } from '../../tree/internal.ts'
import type { Context } from '../program/context.ts'
import { TrustError } from '../program/error.ts'
import type { Io } from '../program/io.ts'
import { checkFolderOwner, foreignOwnerOf, isFileInside } from '../program/opened-file.ts'
import { type DefaultStore, userStore } from '../program/store-choice.ts'

/** Where a command works. */
interface Workspace {
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
  const [{ configIn }, { trustCheckFor }] = await Promise.all([
    import('./config.ts'),
    import('./config.ts'),
  ])
  const { url, workspace, isDefault } = await context.storeChoice()
  const folder = folderAbove(context.io) ?? workspace
  const trustCheck = folder === null ? () => null : await trustCheckFor(context, folder)
  const warn = (text: string) => context.out.warn(text)
  const config = await configIn(folder, warn, (file) => trustCheck(file, 'workspace'))
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

const storeFileIn = (folder: string): string => join(folder, 'tasks.db')

/**
 * The store of a workspace, which nobody has named: a folder `.coven` may come with a repository. Throws a TrustError where
 * a link would take what is written elsewhere, or another user has made the file.
 */
export function ownStore(folder: string): DefaultStore {
  const why = whyStoreIsUntrusted(folder)
  if (why === null) return { url: `sqlite:${storeFileIn(folder)}`, workspace: folder }
  throw new TrustError(
    why,
    'If you want to use that store, name it with --store, in HOLDFAST_STORE or in your own config.yaml.',
  )
}

/** `.coven` itself may be a link to the folder of another workspace, as long as that is one. */
function whyStoreIsUntrusted(folder: string): string | null {
  const file = storeFileIn(folder)
  if (![dirname(folder), folder].some((each) => isFileInside(file, each)))
    return `${file} leads out of its workspace by a link.`
  const owner = foreignOwnerOf(file)
  if (owner !== null) return `${file} belongs to another user (uid ${owner}).`
  return isLinkToSharedFolder(folder)
    ? `${folder} is a link to a folder that every user of this machine can write to.`
    : null
}

function isLinkToSharedFolder(folder: string): boolean {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0
}
