import { UsageError } from '../../program/error.ts'
import {
  ChangedByHandError,
  changed,
  contentOf,
  type FileChange,
  unchanged,
} from './file-change.ts'

const hookCommand = 'np prime'
const hookEvent = 'SessionStart'
const hookEntry = JSON.stringify({ hooks: [{ type: 'command', command: hookCommand }] })

/** A settings file that was made for the hook alone; no other file looks exactly so. */
const ownFile = `{\n  "hooks": {\n    "${hookEvent}": [\n      ${hookEntry}\n    ]\n  }\n}\n`

/**
 * From the innermost that may be there already: where it goes, and what it is there. Put right behind the bracket, so a
 * space behind one of our own tells what was there before from what came with the piece.
 */
const levels = [
  { path: ['hooks', hookEvent], open: '[', piece: hookEntry },
  { path: ['hooks'], open: '{', piece: `"${hookEvent}": [ ${hookEntry} ]` },
  { path: [], open: '{', piece: `"hooks": { "${hookEvent}": [ ${hookEntry} ] }` },
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
        `Take the hook "${hookCommand}" out of ${hookEvent} by hand.`,
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
  const groups = (settings as { hooks?: Record<string, unknown> } | null)?.hooks?.[hookEvent]
  if (!Array.isArray(groups)) return false
  return groups.some((group: { hooks?: unknown } | null) => {
    const list = group?.hooks
    return (
      Array.isArray(list) &&
      list.some((hook: { command?: unknown } | null) => hook?.command === hookCommand)
    )
  })
}

const stringForm = /"(?:[^"\\]|\\.)*"/y
const valueForm = /[^\s,\]}]+/y

/** Where the bracket of the value stands that the keys lead to, in text that is JSON; null where they lead nowhere. */
function bracketOf(text: string, keys: readonly string[]): number | null {
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0)
  for (const key of keys) {
    const next = valueUnder(text, at, key)
    if (next === null) return null
    at = next
  }
  return at
}

/** Where the value of a key begins, in the object that begins here; the last one where a key stands twice. */
function valueUnder(text: string, start: number, key: string): number | null {
  if (text[start] !== '{') return null
  let found: number | null = null
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const end = endOf(stringForm, text, at)
    const colon = skipSpace(text, end)
    const value = skipSpace(text, colon + 1)
    if (JSON.parse(text.slice(at, end)) === key) found = value
    at = skipSpace(text, endOfValue(text, value))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

/** Brackets are counted outside of strings: what is between them is JSON already. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    at = skipSpace(text, at)
    const character = text[at] as string
    if (character === '"') at = endOf(stringForm, text, at)
    else if ('{['.includes(character)) {
      depth++
      at++
    } else if ('}]'.includes(character)) {
      depth--
      at++
    } else if (',:'.includes(character)) at++
    else at = endOf(valueForm, text, at)
  } while (depth > 0)
  return at
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  form.exec(text)
  return form.lastIndex
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}
