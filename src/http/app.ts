import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { agentOf } from '../access/index.ts'
import type { Method } from '../schema/index.ts'
import { type HttpError, kitError } from './error.ts'
import { endingWhenLapsed } from './lapse.ts'
import type { Mount } from './mount.ts'
import { pagesOf } from './pages.ts'
import { pathOf, routedPath, withoutSlash } from './path.ts'
import { errorResponse } from './response.ts'
import type { Act, Api, Route } from './route.ts'
import {
  type AppOptions,
  agentIn,
  type Bindings,
  failed,
  readWhileAllowed,
  runnerOf,
} from './runner.ts'

type Env = { Bindings: Bindings }

export interface App {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>
  /** Whether a path tells nothing but how to call the others. */
  isOpen(path: string): boolean
}

type Answering = (context: Context<Env>) => Response | Promise<Response>

/** The one application of all tables. */
export function appOf(api: Api, options: AppOptions): App {
  const { site = {}, mounts = [], observe } = options
  const routes = api.tables.flatMap((table) => table.routes)
  const pages = { ...pagesOf(api), ...site }
  const missing = missingOf(routes, Object.keys(pages))
  // The fast router takes no fixed words beside parameters, as in /tasks/ready and /tasks/:id: so there are two.
  const fixed = new Hono<Env>({ router: new RegExpRouter(), getPath: routedPath })
  const open = new Hono<Env>({ router: new RegExpRouter(), getPath: routedPath })
  const fixedPaths = new Set([...Object.keys(pages), ...mounts.map(({ path }) => path)])
  for (const { routes: ofTable, explain = api.explain } of api.tables)
    for (const route of ofTable) {
      const run = runnerOf(route, { explain, api }, options)
      const isFixed = !route.path.includes(':')
      if (isFixed) fixedPaths.add(route.path)
      const hono = isFixed ? fixed : open
      const answer: Answering = (context) => run(context.env, context.req.param())
      hono.on(route.method, route.path, observed(route.path, answer, observe))
    }
  for (const [path, make] of Object.entries(pages))
    fixed.get(
      path,
      observed(path, ({ req }) => make(req.raw), observe),
    )
  for (const mount of mounts)
    fixed.all(mount.path, observed(mount.path, mounted(mount, api, options), observe, true))
  for (const hono of [fixed, open])
    hono
      .notFound(
        observed('', ({ req, env }) => missing(req.method, req.path, env.incoming), observe),
      )
      .onError((error, { req }) => {
        const place = { explain: api.explain, method: req.method as Method }
        return errorResponse(failed(error, place, options))
      })
  return {
    fetch: (request, bindings) => {
      const isFixed = fixedPaths.has(pathOf(bindings.incoming))
      return (isFixed ? fixed : open).fetch(request, bindings)
    },
    isOpen: (path) => Object.hasOwn(pages, withoutSlash(path)),
  }
}

/** What is sent is read here, under the limits that hold for all. */
function mounted({ path, handle }: Mount, { explain }: Api, options: AppOptions): Answering {
  const { ending, acted: tell } = options
  return async ({ req, env }) => {
    const { incoming, caller } = env
    try {
      const agent = agentOf(caller, agentIn(incoming))
      const acted = (act: Act) => tell?.({ agent, ...act, incoming, caller, route: path })
      const sent = { caller, agent, ending, acted }
      if (req.method !== 'POST') return lasting(await handle(req.raw, sent), env)
      const body = await readWhileAllowed(env, options)
      if (body === undefined) throw kitError('INVALID_BODY', 'The body is missing. Send JSON.')
      return lasting(await handle(req.raw, { ...sent, body }), env)
    } catch (error) {
      return errorResponse(failed(error, { explain, method: 'POST' }, options))
    }
  }
}

/** What may go on for long ends once its caller may no longer ask. */
function lasting(response: Response, env: Bindings): Response {
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')
  if (!isStream || response.body === null) return response
  const { status, headers } = response
  return new Response(endingWhenLapsed(response.body, env), { status, headers })
}

/** The same, and whoever wants to know hears of the answer and how long it took. */
function observed(
  route: string,
  answer: Answering,
  observe?: AppOptions['observe'],
  isMounted = false,
): Answering {
  if (!observe) return answer
  return (context) => {
    const start = performance.now()
    const { method } = context.req
    const tell = (response: Response): Response => {
      const seconds = (performance.now() - start) / 1000
      const { incoming, caller } = context.env
      const { status } = response
      observe({ incoming, caller, method, route, status, seconds, response, isMounted })
      return response
    }
    const response = answer(context)
    return response instanceof Promise ? response.then(tell) : tell(response)
  }
}

/** Answers where no route fits: with what the path knows, or that there is no such path. */
function missingOf(routes: readonly Route[], pages: readonly string[]) {
  return (method: string, path: string, incoming: IncomingMessage): Response => {
    // What leads back and forth by dots is no path of ours, wherever it ends.
    const isAsked = allowedAt(pathOf(incoming), routes, pages).length > 0
    const allowed = isAsked ? allowedAt(path, routes, pages) : []
    if (allowed.length > 0 && method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { Allow: allowed.join(', ') } })
    return errorResponse(allowed.length > 0 ? notAllowed(allowed) : notFound(incoming))
  }
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

const notFound = (incoming: IncomingMessage): HttpError =>
  kitError('ROUTE_NOT_FOUND', 'There is no such route. GET /docs lists those that there are.', {
    details: { path: pathOf(incoming).slice(0, 200) },
  })
