// Vitest loads this by its name, once per run. Test files run in processes of their own: they ask here, over
// loopback, for the servers that they share, so that only those start that someone needs.
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startNats } from './nats.ts'
import { startNatsCluster } from './nats-cluster.ts'
import { startMinio, startMinistack } from './s3.ts'
import type { SharedServers } from './shared.ts'

type Started<K extends keyof SharedServers> = AsyncDisposable & { readonly told: SharedServers[K] }

const oneProcessor = true

const starters: { readonly [K in keyof SharedServers]: () => Promise<Started<K>> } = {
  nats: async () => telling(await startNats({ oneProcessor }), ({ url }) => ({ url })),
  'nats-cluster': async () =>
    telling(await startNatsCluster(3, { oneProcessor }), ({ url }) => ({ url })),
  minio: async () => telling(await startMinio({ oneProcessor }), ({ account }) => account),
  ministack: async () => telling(await startMinistack({ forgets: true }), ({ account }) => account),
}

const running = new Map<string, Promise<Started<keyof SharedServers>>>()
let desk: HttpServer | undefined

export async function setup(project: TestProject): Promise<void> {
  desk = createServer(async ({ url = '/' }, response) => {
    try {
      const { told } = await start(url.slice(1) as keyof SharedServers)
      response.end(JSON.stringify(told))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  desk.listen(0, '127.0.0.1')
  await once(desk, 'listening')
  project.provide('servers', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)
}

export async function teardown(): Promise<void> {
  desk?.close()
  desk?.closeAllConnections()
  const servers = await Promise.allSettled(running.values())
  await Promise.all(
    servers.map((server) => server.status === 'fulfilled' && server.value[Symbol.asyncDispose]()),
  )
}

function start(name: keyof SharedServers): Promise<Started<keyof SharedServers>> {
  const server = running.get(name) ?? starters[name]()
  running.set(name, server)
  return server
}

const telling = <S extends AsyncDisposable, T>(server: S, tell: (server: S) => T) => ({
  told: tell(server),
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
})
