import { agentOf, type Caller, checkRole } from '../access/index.ts'
import type { AdminCase, Route } from './route.ts'

const agentHeader = 'x-agent-id'

/** Checks the role, and that a named token names no other's agent; before anything else is looked at. */
export function checkCaller({ role }: Pick<Route, 'role'>, caller: Caller, agent?: string): void {
  checkRole(caller, role)
  agentOf(caller, agent)
}

/** The headers that a route knows, with the name of the token where no agent was named. */
export function withAgent<T extends Readonly<Record<string, string | undefined>>>(
  headers: T,
  { name }: Caller,
  knowsAgent: boolean,
): T {
  if (name === null || !knowsAgent || headers[agentHeader] !== undefined) return headers
  return { ...headers, [agentHeader]: name }
}

/** The same for the field of a body. */
export function bodyWithAgent(
  body: unknown,
  { name }: Caller,
  { agentField }: Pick<Route, 'agentField'>,
): unknown {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (name === null || agentField === undefined || !isObject) return body
  return Object.hasOwn(body, agentField) ? body : { ...body, [agentField]: name }
}

/** Checks what only the query or the body tells, once that is known to be what the route takes. */
export function checkSent(
  { adminIf, agentField }: Pick<Route, 'adminIf' | 'agentField'>,
  caller: Caller,
  sent: { readonly query: object } | { readonly body: unknown },
): void {
  if (adminIf !== undefined && isMeant(adminIf, sent)) checkRole(caller, 'admin')
  if (agentField === undefined || !('body' in sent)) return
  agentOf(caller, (sent.body as Record<string, string | undefined>)[agentField])
}

const isMeant = ({ in: part, field, value }: AdminCase, sent: object): boolean =>
  (sent as Record<string, Record<string, unknown> | undefined>)[part]?.[field] === value

/** What a caller reads about it. */
export const sentenceOf = ({ in: part, field, value }: AdminCase): string =>
  part === 'query'
    ? `\`?${field}=${value}\` needs the role \`admin\`.`
    : `\`${field}\` \`${value}\` needs the role \`admin\`.`
