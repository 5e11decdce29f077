import type { OpenApi, Operation } from '../../../src/http/openapi.ts'
import { tools } from '../../../src/mcp/server.ts'
import { type Draw, valueFor } from './draw.ts'

/** A request as it is sent. */
export interface DrawnRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** The operation that is meant, and whether its path is spelled as the document has it. */
  readonly operation: Operation | null
  readonly isPlain: boolean
}

interface Meant {
  readonly method: string
  readonly template: string
  readonly operation: Operation
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const pages = ['/docs', '/openapi.json', '/', '/docs/', '/docs/style.css', '/api', '/favicon.ico']

const operationsOf = ({ paths }: OpenApi): Meant[] =>
  Object.entries(paths).flatMap(([template, each]) =>
    Object.entries(each).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), template, operation },
    })),
  )

/** What is there, for requests to name. */
interface Known {
  readonly ids: readonly string[]
  readonly etags: readonly string[]
}

/** Draws requests of an API, mostly such as it takes, by whoever's name is given. */
export function requestsOf(document: OpenApi, hasMcp: boolean) {
  const all = operationsOf(document)
  return (draw: Draw, name: string, known: Known): DrawnRequest => {
    const { ids } = known
    if (draw.isOnce(20)) return plain(draw.of(methods), draw.of(pages))
    if (hasMcp && draw.isOnce(12)) return toolCall(draw, name, known)
    const { method, template, operation } = draw.of(all)
    const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(idFor(draw, ids)))
    const spelled = draw.isOnce(8) ? misspelled(draw, path) : path
    const isMeant = !draw.isOnce(15)
    const schema = operation.requestBody?.content['application/json']?.schema
    return {
      method: isMeant ? method : draw.of(methods),
      path: spelled + queryFor(draw, operation, ids),
      headers: headersFor(draw, name, known),
      body: bodyFor(draw, schema && valueFor(draw, schema, ids)),
      operation: isMeant ? operation : null,
      isPlain: isMeant && spelled === path && !/\/\.{1,2}(\/|$)/.test(path),
    }
  }
}

const plain = (method: string, path: string): DrawnRequest => ({
  ...{ method, path, headers: {}, body: undefined, operation: null, isPlain: false },
})

const odd = ['x', '.', '..', '%', 'a/b', '\u0000', '01a1e099-0000-7000-8000-000000000000', 'abcd']

const idFor = (draw: Draw, ids: readonly string[]): string =>
  draw.isOnce(6) || ids.length === 0 ? draw.of(odd) : draw.of(ids)

function misspelled(draw: Draw, path: string): string {
  const at = 1 + draw.below(path.length - 1)
  const code = (path.charCodeAt(at) & 0xff).toString(16).padStart(2, '0')
  return draw.of([
    `${path}/`,
    `/${path}`,
    path.replace('/api/', '/api//'),
    path.replace('/api/', '/api/./'),
    `/docs/..${path}`,
    `/docs/%2e%2e${path}`,
    `${path.slice(0, at)}%${code}${path.slice(at + 1)}`,
    `${path};x=1`,
    `${path}%2f`,
    path.toUpperCase(),
  ])
}

/** An object of no use may have no text at all. */
const textOf = (value: unknown): string =>
  typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)

function queryFor(draw: Draw, { parameters }: Operation, ids: readonly string[]): string {
  const words = parameters
    .filter((each) => each.in === 'query' && (each.required || draw.isOnce(3)))
    .map(({ name, schema }) => [name, textOf(valueFor(draw, schema, ids))])
  const more = draw.isOnce(10) ? [[draw.of(['force', 'x', 'token', 'limit']), 'true']] : []
  const all = [...words, ...more].map(
    ([name, value]) => `${name}=${encodeURIComponent((value as string).toWellFormed())}`,
  )
  return all.length === 0 ? '' : `?${all.join('&')}`
}

function headersFor(draw: Draw, name: string, { etags }: Known): Record<string, string> {
  const headers: Record<string, string> = {}
  if (draw.isOnce(3))
    headers['X-Agent-ID'] = draw.of([
      name,
      `${name}/1`,
      `${name}/1`,
      'mallory',
      `${name}s`,
      '\xff',
      ' ',
    ])
  if (draw.isOnce(4))
    headers['If-Match'] = draw.of(['*', '"1-0"', 'W/"x"', 'x', '"', ...etags, etags.join(', ')])
  if (draw.isOnce(10)) headers['X-HTTP-Method-Override'] = 'DELETE'
  if (draw.isOnce(12)) headers['Last-Event-ID'] = draw.of(['x', '0', '1'])
  if (draw.isOnce(40)) headers['Origin'] = 'http://evil.example'
  if (draw.isOnce(60)) headers['Host'] = 'evil.example'
  return headers
}

const bodyFor = (draw: Draw, value: unknown): string | undefined => {
  if (draw.isOnce(30)) return draw.of(['{', '[', 'null', '[]', '{"a":1', '"x"', '\u0000'])
  return value === undefined ? undefined : JSON.stringify(value)
}

function toolCall(draw: Draw, name: string, known: Known): DrawnRequest {
  const { ids } = known
  const call = () => {
    const tool = draw.of(tools)
    const given = valueFor(draw, tool.input as never, ids) as Record<string, unknown>
    const agent = draw.isOnce(3) ? { agent: draw.of([name, `${name}/1`, 'mallory']) } : {}
    return {
      ...{
        jsonrpc: '2.0',
        id: draw.below(9),
        method: draw.isOnce(20) ? 'tools/list' : 'tools/call',
      },
      params: { name: tool.name, arguments: { ...given, ...agent } },
    }
  }
  const body = JSON.stringify(draw.isOnce(10) ? [call(), call()] : call())
  const accept = { Accept: 'application/json, text/event-stream' }
  const method = draw.isOnce(8) ? draw.of(methods) : 'POST'
  return {
    ...plain(method, '/mcp'),
    headers: { ...headersFor(draw, name, known), ...accept },
    body,
  }
}
