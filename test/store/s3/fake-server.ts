import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server may get wrong. `late creation` shows only when it keeps twenty objects. */
export type Flaw = 'creation' | 'late creation' | 'update' | 'deletion' | 'no deletion'

const lateObjects = 20

/** Keeps objects in memory and conditions only as far as it has no flaw there. */
export async function startFakeServer(...flaws: readonly Flaw[]) {
  const objects = new Map<string, { body: string; etag: string }>()
  let writes = 0
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { method, url = '', headers } = incoming
    const { pathname, search } = new URL(url, 'http://x')
    const there = objects.get(pathname)
    const isStale = headers['if-match'] !== undefined && headers['if-match'] !== there?.etag
    const isTaken = headers['if-none-match'] === '*' && there !== undefined
    const creation: Flaw =
      flaws.includes('late creation') && objects.size >= lateObjects ? 'late creation' : 'creation'
    const flaw: Flaw = method === 'DELETE' ? 'deletion' : isTaken ? creation : 'update'
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
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
