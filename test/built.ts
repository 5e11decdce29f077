import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const sources = join(import.meta.dirname, '../src')
const built = join(import.meta.dirname, '../dist')

/** The programs and screens are bundles there, not module by module. */
const bundled = /^(cli|tui)[\\/]/

/** What stands in `dist` for a module of `src`. */
export const isBuilt = /\/dist\//

/**
 * Lets tests that import a module of `src` have the one that was built from it, which Node loads by itself. That is what is
 * published, and takes a tenth less of the processor than modules that Vite hands over one by one. For who has built
 * before: `npm test` does, and says so in the environment.
 */
export const builtInsteadOfSources = {
  name: 'built instead of sources',
  enforce: 'pre' as const,
  resolveId(id: string, importer: string | undefined): string | null {
    if (process.env['HOLDFAST_TEST_BUILT'] === undefined || importer === undefined) return null
    if (!id.startsWith('.') || !id.endsWith('.ts')) return null
    const module = relative(sources, resolve(dirname(importer), id))
    if (module.startsWith('..') || bundled.test(module)) return null
    const path = join(built, module.replace(/ts$/, 'js'))
    return existsSync(path) ? path : null
  },
}
