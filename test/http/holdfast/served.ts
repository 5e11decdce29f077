import assert from 'node:assert/strict'
import { type HoldfastOptions, type Serving, serveHoldfast } from '../../../src/http/index.ts'
import { mcpHttp } from '../../../src/mcp/index.ts'
import { openStore, type Store } from '../../../src/store/index.ts'
import { Caller, isPath } from '../served.ts'

/** Serves all models of a store on a free port, with all that the program brings. */
export const servedAll = (store: Store, options: Partial<HoldfastOptions> = {}): Promise<Serving> =>
  serveHoldfast({
    store,
    storeKind: 'memory',
    folder: null,
    port: 0,
    mounts: ({ selectGrimoire }) => {
      const workplace = { store, directory: null, agent: 'mcp', selectGrimoire }
      return [{ path: '/mcp', handle: mcpHttp(workplace, { version: '0.0.0', log: () => {} }) }]
    },
    ...options,
  })

const callerOf = Caller.ofOneKind()

/** The same, and somebody to ask it. */
export async function opened(store: Store, options: Partial<HoldfastOptions> = {}) {
  const serving = await servedAll(store, options)
  const api = await callerOf(serving.url)
  const { refused } = api
  api.refused = (route, code, asked) => {
    tried.add(`${operationOf(api, ...route)} ${code}`)
    return refused.call(api, route, code, asked)
  }
  return { api, serving }
}

/** What was refused, by operation and code. */
const tried = new Set<string>()

function operationOf({ document }: Caller, method: string, path: string): string | undefined {
  const [plain] = path.split('?') as [string]
  const [best] = Object.keys(document.paths)
    .filter((template) => isPath(template, plain))
    .sort((a, b) => a.split('{').length - b.split('{').length)
  return document.paths[best ?? '']?.[method.toLowerCase()]?.operationId
}

/** What every route can refuse with has tests of its own. */
const common =
  /^(INVALID_QUERY|UNAUTHORIZED|FORBIDDEN_\w+|INTERNAL_ERROR|STORE_UNAVAILABLE|REQUEST_TIMEOUT|BODY_TOO_LARGE|HEADERS_TOO_LARGE|TOO_MANY_ATTEMPTS)$/

/** Fails where a route below these paths names a code that the tests of this file have not tried. */
export async function assertAllTried(prefixes: readonly string[]): Promise<void> {
  await using store = await openStore('memory:')
  await using serving = await servedAll(store)
  const { document } = await Caller.to(serving.url)
  const named = Object.entries(document.paths)
    .filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)))
    .flatMap(([, methods]) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([, { description }]) => description.split(', '))
        .filter((code) => !common.test(code))
        .map((code) => `${operationId} ${code}`),
    )
  assert.ok(named.length > 0)
  assert.deepEqual(
    named.filter((each) => !tried.has(each)),
    [],
  )
}
