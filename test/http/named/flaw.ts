import { includes, type Role } from '../../../src/access/index.ts'
import type { DrawnRequest } from './drawn-request.ts'

export interface Asker {
  readonly name: string
  /** Null for who must not be let in. */
  readonly role: Role | null
  readonly authorization: string | undefined
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly etag: string | undefined
}

const openPages = /^\/(docs(\/style\.css)?|openapi\.json)?\/?$/

/** What is wrong with an answer, given who asked. */
export function flawOf(
  drawn: DrawnRequest,
  { role }: Asker,
  { status, text }: Answer,
): string | null {
  const [path] = drawn.path.split('?') as [string]
  if (status >= 500) return 'a failure of ours'
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  if (status === 403 && (drawn.headers['Origin'] ?? drawn.headers['Host']) !== undefined)
    return null
  if (role === null) {
    if (
      status === 401 ||
      (openPages.test(path) && ['GET', 'HEAD', 'OPTIONS'].includes(drawn.method))
    )
      return null
    return [404, 405].includes(status) && openPages.test(path) ? null : 'a stranger was let in'
  }
  if (status === 401) return 'nobody was let in'
  if (drawn.headers['Host'] !== undefined) return 'another site was let in'
  if (role === 'read' && path === '/mcp' && /\\"changed\\":true/.test(text))
    return 'a tool changed something'
  if (code === 'FORBIDDEN_AGENT' || drawn.method === 'HEAD') return null
  if (!drawn.operation || !drawn.isPlain) return null
  const isAllowed = includes(role, drawn.operation['x-role'])
  if (!isAllowed && ![403, 404, 405].includes(status)) return `${role} was let in`
  if (
    isAllowed &&
    code === 'FORBIDDEN_ROLE' &&
    !/[?&]force=true|"action":"delete"|^\/api\/jobs\/[^/]+\/retry/.test(drawn.path + drawn.body)
  )
    return `${role} was not let in`
  if (
    role === 'work' &&
    status < 300 &&
    /[?&]force=true/.test(drawn.path) &&
    path.endsWith('/release')
  )
    return 'a release was forced'
  return null
}
