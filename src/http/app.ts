import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import { type HttpError, kitError } from './error.ts'
import { pagesOf } from './pages.ts'
import type { Api, Route } from './route.ts'
import { type AppOptions, type Bindings, errorResponse, failed, runnerOf } from './runner.ts'

export interface App {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>
  /** Whether a path tells nothing but how to call the others. */
  isOpen(path: string): boolean
}

/** The one application of all tables. */
export function appOf(api: Api, options: AppOptions): App {
  const hono = new Hono<{ Bindings: Bindings }>()
  const routes = bySpecificity(api.tables.flatMap((table) => table.routes))
  for (const route of routes) {
    const run = runnerOf(route, api, options)
    hono.on(route.method, route.path, (context) => run(context.env, context.req.param()))
  }
  const pages = pagesOf(api)
  for (const [path, make] of Object.entries(pages)) hono.get(path, make)
  hono.notFound(({ req, env }) => {
    const allowed = allowedAt(req.path, routes, Object.keys(pages))
    if (allowed.length > 0 && req.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { Allow: allowed.join(', ') } })
    return errorResponse(allowed.length > 0 ? notAllowed(allowed) : notFound(env.incoming))
  })
  hono.onError((error) => errorResponse(failed(error, api, options)))
  return {
    fetch: (request, bindings) => hono.fetch(request, bindings),
    isOpen: (path) => Object.hasOwn(pages, path),
  }
}

/** Fixed words before parameters, whatever the order of the tables. */
function bySpecificity(routes: readonly Route[]): Route[] {
  const rank = ({ path }: Route): string => path.replaceAll(':', '\uffff')
  return routes.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** The methods that a path knows; none where there is no such path. */
function allowedAt(path: string, routes: readonly Route[], pages: readonly string[]) {
  const fixed = pages.includes(path) ? (['GET'] as const) : []
  const known = routes.filter((route) => patternOf(route.path).test(path))
  // Where a path is a fixed word, its parameters are not meant.
  const best = known.filter((route) => !known.some((other) => isMoreSpecific(other, route)))
  const methods = new Set<string>([...fixed, ...best.map(({ method }) => method)])
  if (methods.size === 0) return []
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

const isMoreSpecific = (a: Route, b: Route): boolean =>
  a.path.split(':').length < b.path.split(':').length

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`)

const notAllowed = (allowed: readonly string[]): HttpError =>
  kitError('METHOD_NOT_ALLOWED', `This path knows ${allowed.join(', ')} only.`, {
    details: { allowed },
    headers: { Allow: allowed.join(', ') },
  })

const notFound = ({ url = '' }: IncomingMessage): HttpError =>
  kitError('ROUTE_NOT_FOUND', 'There is no such route. GET /docs lists those that there are.', {
    details: { path: url.split('?')[0]?.slice(0, 200) },
  })
