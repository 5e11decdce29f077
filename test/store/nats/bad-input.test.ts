import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect, nkeys } from '@nats-io/transport-node'
import { describe, test } from 'vitest'
import { parseNatsUrl } from '../../../src/store/drivers/nats/url.ts'
import {
  create,
  openStore,
  type Store,
  StoreError,
  type StoreErrorReason,
} from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { within } from '../../rounds.ts'
import { startNats } from '../../servers/nats.ts'
import { freePorts } from '../../servers/port.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])
const secret = 's3cr3t-pässword'

const assertRefused = (call: () => Promise<unknown>, reason: StoreErrorReason) =>
  assertFails(call, reason, { withinMs: 5500, secret })

const commitOne = (store: Store, key = 'ns/a') => store.commit([create(key, one)])

test('a server that is down at open: unavailable within 5 s', async () => {
  const [port] = await freePorts(1)
  await assertRefused(() => openStore(`nats://me:${secret}@127.0.0.1:${port}`), 'down')
})

test('a server that goes down later: unavailable within 5 s, and all is well once it is back', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  await commitOne(store)
  await server.kill()
  await assertRefused(() => store.get('ns/a'), 'down')
  await assertRefused(() => commitOne(store, 'ns/b'), 'down')
  await server.restart()
  assert.equal((await commitOne(store, 'ns/b')).ok, true)
})

/** Stops a process where it stands, and waits until it does. */
async function freeze(processId: number): Promise<void> {
  process.kill(processId, 'SIGSTOP')
  await until(async () => /\) T /.test(await readFile(`/proc/${processId}/stat`, 'utf8')))
  // The threads of a process stop one after another.
  await sleep(50)
}

test('a server that is silent: unavailable within 5 s', () =>
  within(5_500, async (timed) => {
    await using server = await startNats()
    await using store = await openStore(server.url)
    await commitOne(store)
    await freeze(server.processId!)
    try {
      // Once it has been silent for so long its connection is given up, and another call fails otherwise.
      const once = { withinMs: Number.POSITIVE_INFINITY, secret }
      await timed(() =>
        Promise.all([
          assertFails(() => store.get('ns/a'), 'down', once),
          assertFails(() => commitOne(store, 'ns/b'), 'lost_answer', once),
        ]),
      )
    } finally {
      process.kill(server.processId!, 'SIGCONT')
    }
  }))

/** A creds file whose seed lacks its end. */
const cut = (creds: string): string => creds.replace(/SU[A-Z0-9]{50,}/, (seed) => seed.slice(0, 40))

describe('credentials', () => {
  const user = { name: 'me', password: secret }
  const encoded = encodeURIComponent(secret)

  test('user and password from the URL; wrong ones are refused', async () => {
    await using server = await startNats({ user })
    const host = server.url.slice('nats://'.length)
    await using store = await openStore(`nats://me:${encoded}@${host}`)
    assert.equal((await commitOne(store)).ok, true)
    await assertRefused(() => openStore(`nats://me:wrong@${host}`), 'permission')
    await assertRefused(() => openStore(server.url), 'permission')
  })

  test('a token from the URL', async () => {
    await using server = await startNats({ token: 'opensesame' })
    const host = server.url.slice('nats://'.length)
    await using store = await openStore(`nats://opensesame@${host}`)
    assert.equal((await commitOne(store)).ok, true)
    await assertRefused(() => openStore(`nats://sesame@${host}`), 'permission')
  })

  test('TLS with an authority of our own; without it the server is refused', async () => {
    await using server = await startNats({ tls: true })
    const { authority } = server.certificates!
    await using store = await openStore(`${server.url}?tls=true&tls_ca=${authority}`)
    assert.equal((await commitOne(store)).ok, true)
    await assertRefused(() => openStore(`${server.url}?tls=true`), 'down')
  })

  test('an nkey, as a seed or in a file; a wrong one is refused', async () => {
    await using folder = await temporaryFolder()
    const key = nkeys.createUser()
    const seed = new TextDecoder().decode(key.getSeed())
    await writeFile(folder.path('user.nk'), `${seed}\n`)
    await using server = await startNats({ nkeys: [key.getPublicKey()] })
    for (const given of [seed, folder.path('user.nk')]) {
      await using store = await openStore(`${server.url}?nkey=${given}`)
      await store.get('ns/a')
    }
    const other = new TextDecoder().decode(nkeys.createUser().getSeed())
    const error = await assertRefused(() => openStore(`${server.url}?nkey=${other}`), 'permission')
    assert.doesNotMatch(String(error), new RegExp(other))
    await assertRefused(() => openStore(`${server.url}?nkey=/no/such/file`), 'bad_option')
  })

  test('a creds file; a missing one is refused', async () => {
    await using server = await startNats({ creds: true })
    await using store = await openStore(`${server.url}?creds=${server.credsFile}`)
    assert.equal((await commitOne(store)).ok, true)
    await assertRefused(() => openStore(`${server.url}?creds=/no/such/file`), 'permission')
  })

  test('an nkey or creds file that is broken is a refusal that names it, not a server that does not answer', async () => {
    await using folder = await temporaryFolder()
    await using server = await startNats({ creds: true })
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed())
    const mistyped = `${seed.slice(0, -4)}${seed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    const creds = folder.path('user.creds')
    for (const content of ['', 'opensesame', await readFile(server.credsFile!, 'utf8').then(cut)]) {
      await writeFile(creds, content)
      const error = await assertRefused(
        () => openStore(`${server.url}?creds=${creds}`),
        'permission',
      )
      assert.ok(String(error).includes(creds), String(error))
      assert.doesNotMatch(inspect(error), /opensesame|SU[A-Z0-9]{20}|eyJ/)
    }
    const error = await assertRefused(
      () => openStore(`${server.url}?nkey=${mistyped}`),
      'permission',
    )
    assert.match(String(error), /nkey/)
    assert.ok(!inspect(error).includes(seed.slice(2, 40)))
  })

  test('a password with a colon in it', () => {
    const { credentials } = parseNatsUrl('//me:a:b@h:4222', {})
    assert.equal(credentials.pass, 'a:b')
  })

  test('all of them from the environment', () => {
    const env = { NATS_USER: 'me', NATS_PASSWORD: 'pw', NATS_CREDS: '/c', NATS_CA: '/ca' }
    const { credentials } = parseNatsUrl('//h:4222', env)
    assert.equal(credentials.user, 'me')
    assert.equal(credentials.pass, 'pw')
    assert.equal(credentials.credsFile, '/c')
    assert.deepEqual(credentials.tls, { caFile: '/ca' })
  })
})

test('no permission to create a bucket is said so', async () => {
  const permissions = { publish: { deny: ['$JS.API.STREAM.CREATE.>'] } }
  const config = { authorization: { users: [{ user: 'me', password: 'pw', permissions }] } }
  await using server = await startNats({ config })
  const url = server.url.replace('nats://', 'nats://me:pw@')
  await using store = await openStore(url)
  await assertRefused(() => commitOne(store), 'permission')
})

test('a server without JetStream is refused', async () => {
  await using server = await startNats({ jetstream: false })
  const error = await assertRefused(() => openStore(server.url), 'no_jetstream')
  assert.match(error.next, /-js/)
})

test('a bucket with settings that lose data is refused, and left as it is', async () => {
  await using server = await startNats()
  const nats = await connect({ servers: server.url.slice('nats://'.length) })
  const manager = await jetstreamManager(nats)
  const settings = { name: 'KV_ns', subjects: ['$KV.ns.>'], discard: DiscardPolicy.Old }
  await manager.streams.add({ ...settings, max_age: 60_000_000_000 })
  await using store = await openStore(server.url)
  const error = await assertRefused(() => commitOne(store), 'foreign_file')
  assert.match(error.message, /max_age/)
  assert.match(error.message, /discard/)
  assert.equal((await manager.streams.info('KV_ns')).config.discard, DiscardPolicy.Old)
  await nats.close()
})

test('no bucket yet is no store: refused with create: false, and nothing is made', async () => {
  await using server = await startNats()
  await assertRefused(() => openStore(server.url, { create: false }), 'missing_store')
  {
    await using store = await openStore(server.url)
    assert.equal(await store.get('ns/a'), null)
  }
  await assertRefused(() => openStore(server.url, { create: false }), 'missing_store')
  {
    await using store = await openStore(server.url)
    await commitOne(store)
  }
  await using store = await openStore(server.url, { create: false })
  assert.ok(await store.get('ns/a'))
})

test('a value over the limit of the server is refused, and the connection stays', async () => {
  await using server = await startNats({ config: { max_payload: 10_000 } })
  await using store = await openStore(server.url)
  const large = new Uint8Array(10_000)
  await assertRefused(() => store.commit([create('ns/a', large)]), 'too_large')
  assert.equal((await commitOne(store)).ok, true)
})

test('an endpoint that is not NATS is refused', async () => {
  const server = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const error = await openStore(`nats://127.0.0.1:${port}`).catch((failure: unknown) => failure)
    assert.ok(error instanceof StoreError, String(error))
    assert.ok(['foreign_server', 'down'].includes(error.reason), error.message)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

describe('a URL that cannot be', () => {
  for (const url of [
    'nats:',
    'nats://',
    'nats://h?nonsense=1',
    'nats://h?replicas=9',
    'nats://h?history=x',
    'nats://h?tls=1',
    'nats://h?atomic=no',
    'nats://h:99999',
    'nats://a host',
    'nats://u:p%zz@h',
  ])
    test(url, async () => {
      const error = await openStore(url).catch((failure: unknown) => failure)
      assert.ok(error instanceof StoreError)
      assert.equal(error.code, 'invalid')
    })
})

test('a server counts as durable where its monitoring port says that it syncs every write', async () => {
  await using durable = await startNats({ durable: true })
  await using usual = await startNats()
  const durabilityAt = async (url: string) => {
    await using store = await openStore(url)
    return store.limits.durability
  }
  assert.equal(await durabilityAt(durable.url), 'unverified')
  assert.equal(await durabilityAt(`${durable.url}?monitor=${durable.monitorUrl}`), 'durable')
  assert.equal(await durabilityAt(`${usual.url}?monitor=${usual.monitorUrl}`), 'unverified')
  const both = `${durable.monitorUrl},${usual.monitorUrl}`
  assert.equal(await durabilityAt(`${durable.url}?monitor=${both}`), 'unverified')
})

test('the clock is the server\u2019s, once there is a bucket to ask', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  await commitOne(store)
  const { Date: RealDate } = globalThis
  const skewMs = 3_600_000
  const real = RealDate.now
  RealDate.now = () => real() + skewMs
  try {
    const now = await store.now()
    assert.ok(Math.abs(now - real()) < 5000, `it is off by ${now - real()} ms`)
  } finally {
    RealDate.now = real
  }
})
