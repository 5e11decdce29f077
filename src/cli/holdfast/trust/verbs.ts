import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { refusal } from '../../../collection/index.ts'
import { oneLine } from '../../../terminal/index.ts'
import { configFile as workspaceFile } from '../../coven/config.ts'
import { matchersFile } from '../../coven/workspace.ts'
import { projectFile, projectFileAbove } from '../../program/config.ts'
import type { Context } from '../../program/context.ts'
import { isAsked, isConfirmed } from '../../program/input.ts'
import { type OpenedFile, openSettings, settingsAt } from '../../program/opened-file.ts'
import { type FileKind, sha256Of, type TrustedFile, TrustRecord } from '../../program/trust.ts'
import { summaryOf } from './summary.ts'

/** Trusts a file as it was shown, whatever becomes of it meanwhile. */
export async function trustFile(context: Context): Promise<void> {
  const { file, kind } = targetOf(context)
  const record = new TrustRecord(context.io)
  const { lines, data } = await summaryOf(context, file, kind)
  const answer = {
    kind: 'trust',
    data: { path: file.realPath, kind, sha256: sha256Of(file), trusted: true, ...data },
  }
  if (record.trustIn(file, kind) === 'trusted') {
    const line = `Already trusted: ${oneLine(file.realPath)}`
    context.out.confirm({ ...answer, changed: false, lines: [line] })
    return
  }
  const isShown = await isAsked(context)
  const asked = async () => ({ lines, question: 'Trust it?', declined: 'Not trusted.' })
  if (!(await isConfirmed(context, asked))) return
  const { path, sha256 } = answer.data
  await record.add({ path, kind, sha256, trusted_at: new Date().toISOString() })
  const line = `Trusted: ${oneLine(path)}`
  context.out.confirm({ ...answer, lines: [...(isShown ? [] : lines), line] })
}

export async function revokeTrust(context: Context): Promise<void> {
  const record = new TrustRecord(context.io)
  const paths = recordedPaths(context, record.files())
  const isRevoked = await record.remove(paths)
  context.out.confirm({
    kind: 'trust',
    data: { path: paths[0], trusted: false },
    lines: paths.map(
      (path) => `${isRevoked ? 'No longer trusted' : 'Not trusted'}: ${oneLine(path)}`,
    ),
    ...(!isRevoked && { changed: false }),
  })
}

export async function listTrusted(context: Context): Promise<void> {
  const { args, io, out } = context
  if (args.words.length > 0) throw context.usageError('--list takes no FILE.')
  const record = new TrustRecord(io)
  const data = record.files().map((file) => ({ ...file, state: stateOf(file) }))
  const lines = data.map(({ path, state }) => `${state.padEnd(7)}  ${oneLine(path)}`)
  out.answer({ kind: 'trust.list', data, lines })
  if (data.length === 0 && !out.isJson)
    out.note('No file is trusted. Trust one with: holdfast trust FILE')
}

/** What has become of a trusted file. */
function stateOf({ path, sha256 }: TrustedFile): 'trusted' | 'changed' | 'missing' {
  const opened = openSettings(path)
  if (opened.kind === 'absent') return 'missing'
  const isSame = opened.kind === 'read' && opened.file.realPath === path
  return isSame && sha256Of(opened.file) === sha256 ? 'trusted' : 'changed'
}

/** There is no file to trust. */
class NoSettingsFileError extends refusal('NoSettingsFileError', 'not_found') {}

/** The file that the command line names, and how it would be read. */
function targetOf(context: Context): { file: OpenedFile; kind: FileKind } {
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
function recordedPaths(context: Context, files: readonly TrustedFile[]): string[] {
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
