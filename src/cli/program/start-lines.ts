import { oneLine } from './printable.ts'

/** Where a server is found. */
export interface Address {
  /** Where it listens; `unix:PATH` for a Unix socket. */
  readonly url: string
  readonly publicUrl: string | null
}

/** Which server listens where, for a person. */
export const listensLines = (program: string, { url, publicUrl }: Address): string[] => [
  `${program} listens on ${oneLine(url)}`,
  ...(publicUrl === null ? [] : [`Its public URL is ${publicUrl}`]),
]

export function docsLine({ url, publicUrl }: Address): string {
  const [, path] = /^unix:(.*)$/s.exec(url) ?? []
  if (publicUrl === null && path !== undefined)
    return `The API is shown by: curl --unix-socket ${oneLine(path)} http://localhost/docs`
  return `The API is shown at ${publicUrl ?? url}/docs`
}

/** What to warn of where a proxy lets others in and nobody asks who they are. */
export const openWarning = (publicUrl: string | null, token: string | null): string | null =>
  publicUrl === null || token !== null
    ? null
    : `There is no token, so whoever reaches ${publicUrl} can read and change everything.`

/** Where a server listens, for a program. */
export const addressData = ({ url, publicUrl }: Address) => ({
  url,
  ...(publicUrl === null ? {} : { public_url: publicUrl }),
})
