import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** A file of a site. */
export interface FolderFile {
  /** Where it is below the folder, with `/` between. */
  readonly path: string
  /** What is in it. */
  readonly bytes: Buffer
}

/** All files of a folder and of those in it; none where there is no such folder, for nobody has built it. */
export function filesIn(folder: string): FolderFile[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const file = join(parentPath, name)
        const path = file.slice(join(folder, sep).length).split(sep).join('/')
        return { path, bytes: readFileSync(file) }
      })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
