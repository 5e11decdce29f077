import { UsageError } from '../../program/usage-error.ts'
import {
  ChangedByHandError,
  changed,
  contentOf,
  type FileChange,
  unchanged,
} from './file-change.ts'
import { bracketOf } from './json-place.ts'

const command = 'np prime'
const event = 'SessionStart'
const entry = JSON.stringify({ hooks: [{ type: 'command', command }] })

/** A settings file that was made for the hook alone; no other file looks exactly so. */
const ownFile = `{\n  "hooks": {\n    "${event}": [\n      ${entry}\n    ]\n  }\n}\n`

/**
 * From the innermost that may be there already: where it goes, and what it is there. Put right behind the bracket, so a
 * space behind one of our own tells what was there before from what came with the piece.
 */
const levels = [
  { path: ['hooks', event], open: '[', piece: entry },
  { path: ['hooks'], open: '{', piece: `"${event}": [ ${entry} ]` },
  { path: [], open: '{', piece: `"hooks": { "${event}": [ ${entry} ] }` },
] as const

/** With a comma where something follows; the outermost first, for it contains the others. */
const pieces = levels.toReversed().flatMap(({ piece }) => [`${piece}, `, piece])

/**
 * The text is changed in one place and nowhere else, so that comments aside everything a person arranged stays as it
 * is, and taking the piece out again leaves what was there before, byte for byte.
 */
export const hooks = {
  install(path: string): FileChange {
    const content = contentOf(path)
    if (content === null) return changed(path, 'make', ownFile, ownFile)
    const settings = parsed(path, content)
    if (isInstalled(settings)) return unchanged(path)
    for (const { path: keys, open, piece } of levels) {
      const at = bracketOf(content, keys)
      if (at === null) continue
      if (content[at] !== open) throw unfit(path, keys.join('.'), open)
      const follows = !/^\s*[\]}]/.test(content.slice(at + 1))
      const text = follows ? `${piece}, ` : piece
      const next = content.slice(0, at + 1) + text + content.slice(at + 1)
      return changed(path, 'add', piece, next)
    }
    throw unfit(path, '', '{')
  },

  uninstall(path: string): FileChange {
    const content = contentOf(path)
    if (content === null) return unchanged(path)
    if (content === ownFile) return changed(path, 'delete', ownFile, null)
    if (!isInstalled(parsed(path, content))) return unchanged(path)
    const piece = pieces.find((each) => content.includes(each))
    if (piece === undefined)
      throw new ChangedByHandError(
        `The hook in ${path} was written anew by another program.`,
        `Take the hook "${command}" out of ${event} by hand.`,
      )
    return changed(
      path,
      'remove',
      piece,
      content.replace(piece, () => ''),
    )
  },
}

function parsed(path: string, content: string): unknown {
  try {
    const settings: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
      return settings
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}.`, 'Correct it first.')
  }
  throw unfit(path, '', '{')
}

const unfit = (path: string, key: string, open: string): UsageError =>
  new UsageError(
    `${path} is no settings file with hooks: ${key || 'it'} is no ${open === '[' ? 'list' : 'object'}.`,
    'Name another file.',
  )

/** Whether the hook is there, however it is written. */
function isInstalled(settings: unknown): boolean {
  const groups = (settings as { hooks?: Record<string, unknown> } | null)?.hooks?.[event]
  if (!Array.isArray(groups)) return false
  return groups.some((group: { hooks?: unknown } | null) => {
    const list = group?.hooks
    return (
      Array.isArray(list) &&
      list.some((hook: { command?: unknown } | null) => hook?.command === command)
    )
  })
}
