import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package. It is as far away from here as from where the build puts this. */
export const packageFolder = (): string => fileURLToPath(new URL('../..', import.meta.url))

/** Where the build puts the page. */
export const webFolder = (): string => join(packageFolder(), 'dist/web')
