import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import {
  connect as connectNats,
  credsAuthenticator,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node'
import { describe, test } from 'vitest'
import { newerNode } from '../../scripts/fetch/paths.mjs'
import { startNats } from './nats.ts'
import { startNatsCluster } from './nats-cluster.ts'
import { type S3Server, startMinio, startMinistack } from './s3.ts'
import type { Server } from './server.ts'

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** Uses a server, disposes of it, and sees that nothing of it is left. */
async function spend<S extends Server & { port: number }>(server: S, use: (server: S) => unknown) {
  try {
    assert.ok(await listens(server.port))
    await use(server)
  } finally {
    await server[Symbol.asyncDispose]()
  }
  assert.equal(await listens(server.port), false)
  assert.equal(existsSync(server.folder), false)
  assert.equal(server.processId, undefined)
}

/** The names of the streams that a client with these credentials sees. */
async function streamsAt(servers: string, options: NodeConnectionOptions = {}): Promise<string[]> {
  const connection = await connectNats({ servers, reconnect: false, ...options })
  try {
    const manager = await jetstreamManager(connection)
    return await manager.streams.names().next()
  } finally {
    await connection.close()
  }
}

async function addStream(servers: string, replicas = 1): Promise<void> {
  const connection = await connectNats({ servers })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'kept', subjects: ['kept.>'], num_replicas: replicas })
  await connection.close()
}

describe('NATS', () => {
  test('answers, keeps its data through kill -9 and a restart, and is gone afterwards', async () => {
    await spend(await startNats(), async (server) => {
      await addStream(server.url)
      const { processId } = server
      await server.kill()
      assert.equal(await listens(server.port), false)
      await server.restart()
      assert.notEqual(server.processId, processId)
      assert.deepEqual(await streamsAt(server.url), ['kept'])
    })
  })

  test('syncs every write where it is told to', async () => {
    type Variables = { jetstream: { config: { sync_always?: boolean } } }
    for (const durable of [true, false])
      await spend(await startNats({ durable }), async (server) => {
        const { jetstream } = await server.monitor<Variables>('varz')
        assert.equal(jetstream.config.sync_always ?? false, durable)
      })
  })

  test('asks for a user, a token, a key, a creds file or a certificate', async () => {
    await spend(await startNats({ user: { name: 'ann', password: 'p w' } }), async ({ url }) => {
      assert.deepEqual(await streamsAt(url, { user: 'ann', pass: 'p w' }), [])
      await assert.rejects(streamsAt(url, { user: 'ann', pass: 'other' }), /Authorization/)
    })
    await spend(await startNats({ token: 't' }), async ({ url }) => {
      assert.deepEqual(await streamsAt(url, { token: 't' }), [])
      await assert.rejects(streamsAt(url), /Authorization/)
    })
    const key = nkeys.createUser()
    await spend(await startNats({ nkeys: [key.getPublicKey()] }), async ({ url }) => {
      const authenticator = nkeyAuthenticator(key.getSeed())
      assert.deepEqual(await streamsAt(url, { authenticator }), [])
      await assert.rejects(streamsAt(url), /Authorization/)
    })
    await spend(await startNats({ creds: true }), async ({ url, credsFile }) => {
      const authenticator = credsAuthenticator(readFileSync(credsFile!))
      assert.deepEqual(await streamsAt(url, { authenticator }), [])
      await assert.rejects(streamsAt(url), /Authorization/)
    })
    await spend(await startNats({ tls: 'verify' }), async ({ url, certificates }) => {
      const { authority, client } = certificates!
      const pair = { certFile: client.certificate, keyFile: client.key }
      assert.deepEqual(await streamsAt(url, { tls: { caFile: authority, ...pair } }), [])
      await assert.rejects(streamsAt(url, { tls: { caFile: authority } }))
    })
  })

  test('runs without JetStream', async () => {
    await spend(await startNats({ jetstream: false }), ({ url }) =>
      assert.rejects(streamsAt(url), /jetstream is not enabled/i),
    )
  })

  test('says what the server said when it does not start', async () => {
    await assert.rejects(startNats({ config: { nonsense: 1 } }), /ended at its start.*nonsense/s)
  })

  test('three nodes find a leader, and another one when it is killed', async () => {
    const cluster = await startNatsCluster(3)
    try {
      await addStream(cluster.nodes[0]!.url, 3)
      const first = await cluster.leader()
      await first.kill()
      assert.notEqual(await cluster.leader(), first)
      await first.restart()
      await cluster.ready()
      assert.deepEqual(await streamsAt(first.url), ['kept'])
    } finally {
      await cluster[Symbol.asyncDispose]()
    }
    for (const { port } of cluster.nodes) assert.equal(await listens(port), false)
  })
})

/** Writes two versions of an object in a new bucket. */
async function writeTwice({ account }: S3Server): Promise<string> {
  const bucket = await account.createBucket({ versioned: true })
  const path = `/${bucket}/a%20key`
  for (const body of ['one', 'two']) {
    const response = await account.request(path, { method: 'PUT', body })
    assert.equal(response.status, 200)
    assert.ok(response.headers.get('x-amz-version-id'))
  }
  return path
}

const bodyAt = async ({ account }: S3Server, path: string): Promise<string> =>
  (await account.request(path)).text()

describe('MinIO', () => {
  test('answers, keeps its data through kill -9 and a restart, and is gone afterwards', async () => {
    await spend(await startMinio(), async (server) => {
      const path = await writeTwice(server)
      await server.kill()
      await server.restart()
      assert.equal(await bodyAt(server, path), 'two')
      const headers = { 'if-match': '"of nothing"' }
      const stale = await server.account.request(path, { method: 'PUT', body: 'three', headers })
      assert.equal(stale.status, 412)
    })
  })
})

describe('ministack', () => {
  test('answers, keeps its data through a restart, and is gone afterwards', async () => {
    await spend(await startMinistack(), async (server) => {
      const path = await writeTwice(server)
      await server.restart()
      assert.equal(await bodyAt(server, path), 'two')
      const headers = { 'if-match': '"of nothing"' }
      const stale = await server.account.request(path, { method: 'DELETE', headers })
      assert.equal(stale.status, 412)
      const removed = await server.account.request(path, { method: 'DELETE' })
      assert.equal(removed.headers.get('x-amz-delete-marker'), 'true')
    })
  })
})

/** `npm run servers`, when it has said all: its process, and the ports that it named. */
async function startAll(): Promise<{ program: ChildProcess; ports: number[] }> {
  const program = spawn(newerNode, ['scripts/servers.mjs'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const text of program.stdout!) {
    said += text
    if (said.includes('Ctrl-C')) break
  }
  assert.match(said, /^ {2}nats:\/\/127\.0\.0\.1:\d+$/m)
  assert.match(said, /^ {2}'s3:\/\/[\w-]+\?endpoint=http:\/\/127\.0\.0\.1:\d+&region=[\w-]+'$/m)
  const ports = [...said.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
  assert.equal(ports.length, 3)
  for (const port of ports) assert.ok(await listens(port))
  return { program, ports }
}

const goneMsMax = 60_000

describe('npm run servers', () => {
  test.each(['SIGINT', 'SIGKILL'] as const)('leaves no server behind after %s', async (signal) => {
    const { program, ports } = await startAll()
    const gone = once(program, 'exit')
    program.kill(signal)
    await gone
    const deadline = Date.now() + (signal === 'SIGKILL' ? goneMsMax : 0)
    for (const port of ports) {
      while (Date.now() < deadline && (await listens(port))) await sleep(20)
      assert.equal(await listens(port), false)
    }
  })
})
