import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { SiteFile } from '../../store/index.ts'

/** The files of the page, with the one that names the others last; none where it was not built. */
export function pageFiles(folder: string): SiteFile[] {
  return namesIn(folder)
    .map((name) => ({
      path: name.split(sep).join('/'),
      body: readFileSync(join(folder, name)),
      isHashed: name.startsWith(`assets${sep}`),
    }))
    .sort((a, b) => Number(a.path === 'index.html') - Number(b.path === 'index.html'))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
