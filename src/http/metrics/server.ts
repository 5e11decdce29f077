import { anybody } from '../../access/index.ts'
import type { App } from '../app.ts'
import { kitError } from '../error.ts'
import { pathOf } from '../path.ts'
import { commonHeaders, errorResponse } from '../response.ts'
import { HttpServer } from '../server.ts'
import type { Serving } from '../serving.ts'
import { contentType } from './text.ts'

/** Serves only metrics, to this machine, with the checks and limits of every server. */
export async function serveMetrics(
  port: number,
  render: () => Promise<string>,
): Promise<Pick<Serving, 'url'> & AsyncDisposable> {
  const server = await HttpServer.listen(appOf(render), {
    ...{ host: '127.0.0.1', port, token: null, tokens: none, log: () => {} },
    ending: new AbortController(),
  })
  return {
    url: `${server.url}/metrics`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** No token is needed on this machine. */
const none = {
  find: () => anybody,
  isClosed: async () => false,
  mayStill: async () => true,
  watch: () => () => {},
}

const headers = { ...commonHeaders, 'Content-Type': contentType }

const appOf = (render: () => Promise<string>): App => ({
  isOpen: () => false,
  fetch: ({ method }, { incoming }) => {
    if (!['/', '/metrics'].includes(pathOf(incoming)))
      return errorResponse(kitError('ROUTE_NOT_FOUND', 'There is only GET /metrics.'))
    if (method === 'HEAD') return new Response(null, { headers })
    if (method === 'GET') return render().then((text) => new Response(text, { headers }))
    return errorResponse(
      kitError('METHOD_NOT_ALLOWED', 'There is only GET /metrics.', {
        headers: { Allow: 'GET, HEAD' },
      }),
    )
  },
})
