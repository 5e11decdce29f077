import { fileURLToPath } from 'node:url'

/** Where the build puts the page. It is as far away from here as from where the build puts this. */
export const webFolder = (): string => fileURLToPath(new URL('../../dist/web', import.meta.url))
