import { readFileSync } from 'node:fs'

/** The version of the package. The file is as far away from here as from where the build puts this. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
