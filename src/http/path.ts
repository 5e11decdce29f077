import type { IncomingMessage } from 'node:http'
import { getPath } from 'hono/utils/url'

type Sent = Pick<IncomingMessage, 'url'>

/** The path as it was sent, without a slash at its end: `/api/tasks/` means `/api/tasks`. */
export const pathOf = ({ url = '' }: Sent): string => withoutSlash(url.split('?', 1)[0] as string)

export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

/** The path to route by. A slash that only dots leave at its end, as in `/api/tasks/x/..`, leads nowhere. */
export function routedPath(request: Request, options?: { readonly env?: { incoming: Sent } }) {
  const path = getPath(request)
  const sent = options?.env?.incoming.url?.split('?', 1)[0] ?? ''
  const isSent = sent.endsWith('/') && new URL(`http://host${sent}`).pathname === sent
  return isSent ? withoutSlash(path) : path
}
