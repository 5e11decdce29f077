import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server may get wrong. */
export type Flaw = 'creation' | 'update' | 'deletion' | 'no deletion'

/** Keeps objects in memory and conditions only as far as it has no flaw there. */
export async function startFakeServer(...flaws: readonly Flaw[]) {
  const { objects, answer } = fakeAnswers(flaws)
  return { objects, ...(await serve(answer)) }
}

/**
 * Stands before a real server, and answers what a probe asks in its place. For who has seen one probe of that server, and
 * wants to know what else is said of it.
 */
export async function startBeforeServer(endpoint: string) {
  const { answer } = fakeAnswers(['deletion'])
  const { hostname, port } = new URL(endpoint)
  return serve((incoming, response) => {
    const { method, url: path = '', headers } = incoming
    if (path.includes('/.store/probe/')) return answer(incoming, response)
    const outgoing = request({ hostname, port, method, path, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers)
      answered.pipe(response)
    })
    return incoming.pipe(outgoing)
  })
}

function fakeAnswers(flaws: readonly Flaw[]) {
  const objects = new Map<string, { body: string; etag: string }>()
  let writes = 0
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { method, url = '', headers } = incoming
    const { pathname, search } = new URL(url, 'http://x')
    const there = objects.get(pathname)
    const isStale = headers['if-match'] !== undefined && headers['if-match'] !== there?.etag
    const isTaken = headers['if-none-match'] === '*' && there !== undefined
    const flaw: Flaw = method === 'DELETE' ? 'deletion' : isTaken ? 'creation' : 'update'
    if ((isStale || isTaken) && !flaws.includes(flaw)) return response.writeHead(412).end()
    if (method === 'PUT') {
      const etag = `"${++writes}"`
      objects.set(pathname, { body, etag })
      return response.writeHead(200, { etag }).end()
    }
    if (method === 'DELETE' && flaws.includes('no deletion'))
      return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    if (method === 'DELETE') {
      objects.delete(pathname)
      return response.writeHead(204).end()
    }
    if (search.includes('versioning')) return response.end('<VersioningConfiguration/>')
    if (!there) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    const length = Buffer.byteLength(there.body)
    return response.writeHead(200, { etag: there.etag, 'content-length': length }).end(there.body)
  }
  return { objects, answer }
}

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
