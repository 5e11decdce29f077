import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFileInside } from '../program/file-place.ts'
import { foreignOwnerOf } from '../program/opened-file.ts'
import type { DefaultStore } from '../program/store-choice.ts'
import { TrustError } from '../program/trust-error.ts'

const fileOf = (folder: string): string => join(folder, 'tasks.db')

/**
 * The store of a workspace, which nobody has named: a folder `.coven` may come with a repository. Throws a TrustError where
 * a link would take what is written elsewhere, or another user has made the file.
 */
export function ownStore(folder: string): DefaultStore {
  const why = distrustOf(folder)
  if (why === null) return { url: `sqlite:${fileOf(folder)}`, workspace: folder }
  throw new TrustError(
    why,
    'If you want to use that store, name it with --store, in HOLDFAST_STORE or in your own config.yaml.',
  )
}

/** `.coven` itself may be a link to the folder of another workspace, as long as that is one. */
function distrustOf(folder: string): string | null {
  const file = fileOf(folder)
  if (![dirname(folder), folder].some((each) => isFileInside(file, each)))
    return `${file} leads out of its workspace by a link.`
  const owner = foreignOwnerOf(file)
  if (owner !== null) return `${file} belongs to another user (uid ${owner}).`
  return isLinkToCommonGround(folder)
    ? `${folder} is a link to a folder that every user of this machine can write to.`
    : null
}

function isLinkToCommonGround(folder: string): boolean {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  return ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0
}
