import { filesIn } from '../../http/index.ts'
import type { SiteFile } from '../../store/internal.ts'

/** The files of the page, with the one that names the others last; none where it was not built. */
export const pageFiles = (folder: string): SiteFile[] =>
  filesIn(folder)
    .map(({ path, bytes }) => ({ path, body: bytes, isHashed: path.startsWith('assets/') }))
    .sort((a, b) => Number(a.path === 'index.html') - Number(b.path === 'index.html'))
