import { oneLine } from './printable.ts'

/** Where a server is found. */
export interface Address {
  /** Where it listens; `unix:PATH` for a Unix socket. */
  readonly url: string
  readonly publicUrl: string | null
  /** Whether a request needed a token when it began. */
  readonly needsToken: boolean
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

/** What to say of who is let in, where no token is needed. By a Unix socket that is its owner alone. */
export function accessLines({ url, publicUrl, needsToken }: Address): string[] {
  if (needsToken) return []
  const all = 'for no token is needed: "holdfast token add" adds one'
  if (publicUrl !== null) return [`Everyone who can reach ${publicUrl} has full access, ${all}`]
  return url.startsWith('unix:') ? [] : [`Every user of this machine has full access, ${all}`]
}

/** Where a server listens, for a program. */
export const addressData = ({ url, publicUrl }: Address) => ({
  url,
  ...(publicUrl === null ? {} : { public_url: publicUrl }),
})
