import { dirname, join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import { SettingsFile, textOf } from './settings-file.ts'
import { didYouMean } from './suggestion.ts'

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

async function storeIn(path: string, warn: (text: string) => void): Promise<StoreSetting | null> {
  const file = await SettingsFile.read(path, 'Correct it as in "store: sqlite:PATH".')
  let url: string | null = null
  for (const { name, line, value } of file?.settings ?? [])
    if (!knownKeys.includes(name)) {
      // Other keys may be another program's; only a slip is worth a word.
      const hint = didYouMean(name, knownKeys)
      if (hint !== '') warn(`${path}: unknown key "${name}". ${hint.trim()}`)
    } else if (typeof value === 'string' && value !== '') url = value
    else throw file?.broken(line, `${name} must be a URL`)
  return url === null ? null : { url, folder: dirname(path) }
}
