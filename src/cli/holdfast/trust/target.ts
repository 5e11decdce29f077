import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../../../collection/index.ts'
import { fileName as workspaceFile } from '../../coven/config.ts'
import { matchersFile } from '../../coven/workspace.ts'
import { projectFile, projectFileAbove } from '../../program/config.ts'
import type { Context } from '../../program/context.ts'
import { type OpenedFile, settingsAt } from '../../program/opened-file.ts'
import type { FileKind, TrustedFile } from '../../program/trust-record.ts'

/** There is no file to trust. */
class NoSettingsFileError extends Refusal {
  override readonly name = 'NoSettingsFileError'
  readonly kind = 'not_found'
}

/** The file that the command line names, and how it would be read. */
export function targetOf(context: Context): { file: OpenedFile; kind: FileKind } {
  const [given] = context.args.words
  if (given === undefined) {
    const file = projectFileAbove(context.io)
    if (file !== null) return { file, kind: 'project' }
    throw noneAbove()
  }
  const path = givenPath(context, given)
  const file = statsAt(path)?.isDirectory() ? null : settingsAt(path)
  if (file !== null) return { file, kind: kindOf(context, file) }
  throw new NoSettingsFileError(`There is no file ${path}.`, 'Name a settings file.')
}

const noneAbove = () =>
  new NoSettingsFileError(
    `There is no ${projectFile} here or above.`,
    'Name a file: holdfast trust FILE.',
  )

function givenPath(context: Context, given: string): string {
  if (given === '') throw context.usageError('FILE is empty.', 'Name a file.')
  return resolve(context.io.cwd(), given)
}

const kinds = new Map<string, FileKind>([
  [projectFile, 'project'],
  [workspaceFile, 'workspace'],
  [matchersFile, 'matchers'],
])

/** By the name that it is looked for under, which may be that of a link. */
function kindOf(context: Context, { path, realPath }: OpenedFile): FileKind {
  const kind = kinds.get(basename(path)) ?? kinds.get(basename(realPath))
  if (kind !== undefined) return kind
  throw context.usageError(
    `${path} is no settings file of a directory.`,
    `Name a ${projectFile}, or ${workspaceFile} or ${matchersFile} in a folder .coven.`,
  )
}

/** Under which paths trust in a file may be recorded, also where nothing is there any more; the likeliest comes first. */
export function recordedPaths(context: Context, files: readonly TrustedFile[]): string[] {
  const isRecorded = (path: string) => files.some((file) => file.path === path)
  // What was a file when it was trusted may be a link by now.
  const pathsOf = (path: string) => {
    const paths = [...new Set([realPathOf(path), path])]
    return paths.some(isRecorded) ? paths.filter(isRecorded) : paths.slice(0, 1)
  }
  const [given] = context.args.words
  if (given !== undefined) return pathsOf(givenPath(context, given))
  for (let folder = context.io.cwd(); ; folder = dirname(folder)) {
    const path = join(folder, projectFile)
    const paths = pathsOf(path)
    if (paths.some(isRecorded) || statsAt(path)) return paths
    if (folder === dirname(folder)) throw noneAbove()
  }
}

/** Null for what is not there, or may not be looked at: reading it says why. */
function statsAt(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}

/** With all links followed as far as the path leads to something. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPathOf(above), basename(path))
  }
}
