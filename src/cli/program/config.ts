import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import { didYouMean } from './suggestion.ts'
import { UsageError } from './usage-error.ts'

/** A configuration file that names a store. */
export interface StoreSetting {
  readonly url: string
  /** The folder that relative paths in the file start from: its own. */
  readonly folder: string
}

const projectFile = '.holdfast.yaml'

/** The keys that a file may have, named as the options are. */
const knownKeys = ['store']

/** The store of the project that the working directory lies in, else that of the user; null where neither is set. */
export async function configuredStore(io: Io, warn: (text: string) => void) {
  const project = nearestAbove(io)
  const user = join(configHome(io), 'holdfast', 'config.yaml')
  return (project && (await storeIn(project, warn))) ?? (await storeIn(user, warn))
}

/** `$XDG_CONFIG_HOME`; a relative one counts as unset, as the standard says. */
const configHome = (io: Io): string => {
  const given = io.env['XDG_CONFIG_HOME'] ?? ''
  return given.startsWith('/') ? given : join(homeOf(io), '.config')
}

/** The file of the project that the working directory lies in; none where that is gone. */
function nearestAbove(io: Io): string | null {
  let folder: string
  try {
    folder = io.cwd()
  } catch {
    return null
  }
  for (; ; folder = dirname(folder)) {
    const path = join(folder, projectFile)
    if (textOf(path) !== null) return path
    if (folder === dirname(folder)) return null
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new UsageError(`${path} can't be read: ${message}.`, 'Make it readable, or give --store.')
  }
}

async function storeIn(path: string, warn: (text: string) => void): Promise<StoreSetting | null> {
  const text = textOf(path)
  if (text === null) return null
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const { contents, errors } = parseDocument(text, { lineCounter: lines })
  const broken = (offset: number | undefined, why: string) =>
    new UsageError(
      `${path}, line ${offset === undefined ? 1 : lines.linePos(offset).line}: ${why}.`,
      'Correct it as in "store: sqlite:PATH".',
    )
  const [error] = errors
  if (error) throw broken(error.pos[0], (error.message.split(/ at line|:?\n/)[0] as string).trim())
  if (contents === null) return null
  if (!isMap(contents)) throw broken(contents.range?.[0], 'it holds no keys')
  let url: string | null = null
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : '?'
    if (!knownKeys.includes(name)) {
      // Other keys may be another program's; only a slip is worth a word.
      const hint = didYouMean(name, knownKeys)
      if (hint !== '') warn(`${path}: unknown key "${name}". ${hint.trim()}`)
    } else if (isScalar(value) && typeof value.value === 'string' && value.value !== '')
      url = value.value
    else throw broken(isScalar(key) ? key.range?.[0] : undefined, `${name} must be a URL`)
  }
  return url === null ? null : { url, folder: dirname(path) }
}
