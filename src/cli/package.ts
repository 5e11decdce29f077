import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version of the package. The file is as far away from here as from where the build puts this. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** The folder of the package. It is as far away from here as from where the build puts this. */
export const packageFolder = (): string => fileURLToPath(new URL('../..', import.meta.url))

/** Where the build puts the page. */
export const webFolder = (): string => join(packageFolder(), 'dist/web')
