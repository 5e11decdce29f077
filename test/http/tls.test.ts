import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { describe, test } from 'vitest'
import { coven } from '../../src/cli/coven.ts'
import { holdfast } from '../../src/cli/holdfast.ts'
import { followKeyPair, stateOf } from '../../src/http/tls.ts'
import { openStore } from '../../src/store/index.ts'
import { run } from '../cli/terminal.ts'
import { until } from '../eventually.ts'
import { temporaryFolder } from '../store/ground.ts'
import { ask } from './ask.ts'
import { type Made, makeCertificate, putPair } from './certificate.ts'
import { servedAll } from './holdfast/served.ts'
import { served } from './served.ts'

/** Files of a pair, gone with the test. */
async function ground() {
  const folder = await temporaryFolder()
  const [certPath, keyPath] = [folder.path('cert.pem'), folder.path('key.pem')]
  const first = makeCertificate()
  putPair(first, certPath, keyPath)
  return {
    tls: { certPath, keyPath },
    first,
    put: (pair: Made) => putPair(pair, certPath, keyPath),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const options = (url: string, { cert }: Made) => ({
  protocol: 'https:',
  port: new URL(url).port,
  path: '/api/tasks',
  ca: cert,
})

/** Whether a server shows a certificate to who comes new. */
const isShown = (url: string, pair: Made): Promise<boolean> =>
  ask(options(url, pair)).then(
    () => true,
    () => false,
  )

/** One request on a connection that stays. */
async function askOn(socket: TLSSocket): Promise<string> {
  socket.write('GET /api/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [chunk] = await once(socket, 'data')
  return String(chunk).split('\r\n')[0] as string
}

const servers = { 'coven serve': served, 'holdfast serve': servedAll }

for (const [name, start] of Object.entries(servers))
  describe(`${name} with a certificate`, () => {
    test('speaks TLS 1.2 and 1.3, nothing older, and nothing in the clear', async () => {
      await using store = await openStore('memory:')
      await using files = await ground()
      await using serving = await start(store, { tls: files.tls })
      assert.match(serving.url, /^https:\/\/127\.0\.0\.1:\d+$/)
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const given = { ...options(serving.url, files.first), maxVersion: version }
        assert.equal((await ask(given)).status, 200)
      }
      const old = { ...options(serving.url, files.first), minVersion: 'TLSv1' as const }
      await assert.rejects(ask({ ...old, maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }))
      await assert.rejects(fetch(serving.url.replace('https', 'http')))
      assert.equal((await ask(options(serving.url, files.first))).status, 200)
    })

    test('takes its pages for its own, those of the same address in the clear not', async () => {
      await using store = await openStore('memory:')
      await using files = await ground()
      await using serving = await start(store, { tls: files.tls })
      const host = `localhost:${new URL(serving.url).port}`
      const from = (origin: string) =>
        ask({ ...options(serving.url, files.first), headers: { Host: host, Origin: origin } })
      assert.equal((await from(`https://${host}`)).status, 200)
      assert.equal((await from(`http://${host}`)).status, 403)
    })

    test('takes a new pair over within seconds, and drops no connection', async () => {
      await using store = await openStore('memory:')
      await using files = await ground()
      const log: string[] = []
      await using serving = await start(store, { tls: files.tls, log: (line) => log.push(line) })
      const port = Number(new URL(serving.url).port)
      const kept = connect({ port, host: '127.0.0.1', ca: files.first.cert })
      assert.equal(await askOn(kept), 'HTTP/1.1 200 OK')
      const second = makeCertificate()
      files.put(second)
      await until(() => isShown(serving.url, second))
      assert.equal(await isShown(serving.url, files.first), false)
      assert.equal(await askOn(kept), 'HTTP/1.1 200 OK')
      assert.equal(log.length, 1)
      kept.destroy()
    })
  })

describe('a certificate that is looked at again', () => {
  test('keeps the old pair where the new one is broken, and says so once', async () => {
    await using store = await openStore('memory:')
    await using files = await ground()
    const log: string[] = []
    await using serving = await servedAll(store, { tls: files.tls, log: (line) => log.push(line) })
    const { certPath, keyPath } = files.tls
    const broken: [RegExp, () => void][] = [
      [/does not match the key/, () => writeFileSync(certPath, makeCertificate().cert)],
      [/holds no certificate/, () => writeFileSync(certPath, 'none')],
      [
        /can be read or changed by other users/,
        () => {
          files.put(makeCertificate())
          chmodSync(keyPath, 0o644)
        },
      ],
    ]
    for (const [said, change] of broken) {
      log.length = 0
      change()
      await until(async () => log.length > 0)
      // It looks again in this time, and says nothing more.
      await sleep(2_500)
      assert.equal(log.length, 1)
      assert.match(log[0] as string, said)
      assert.equal(await isShown(serving.url, files.first), true)
    }
    const good = makeCertificate()
    files.put(good)
    await until(() => isShown(serving.url, good))
  }, 60_000)

  test('takes a pair over that came after the first one was read', async () => {
    await using files = await ground()
    const since = stateOf(files.tls)
    files.put(makeCertificate())
    let taken = 0
    const server = { setSecureContext: () => taken++ }
    using _ = followKeyPair(server, files.tls, { log: () => {}, since, pollMs: 10 })
    await until(async () => taken > 0)
  })

  test('ends in good order beside connections that never finish their handshake', async () => {
    await using store = await openStore('memory:')
    await using files = await ground()
    const serving = await servedAll(store, { tls: files.tls })
    const silent = connectPlain(Number(new URL(serving.url).port), '127.0.0.1')
    const half = connectPlain(Number(new URL(serving.url).port), '127.0.0.1')
    await Promise.all([once(silent, 'connect'), once(half, 'connect')])
    for (const each of [silent, half]) each.on('error', () => {})
    half.write(Buffer.from('16030102', 'hex'))
    // No event tells that it has come.
    await sleep(100)
    const from = performance.now()
    await serving[Symbol.asyncDispose]()
    // Node itself would wait for a handshake for two minutes.
    assert.ok(performance.now() - from < 60_000)
  })
})

for (const program of [coven, holdfast])
  describe(`${program.name} serve with files that can't serve`, () => {
    const pem = makeCertificate()
    const cases: Record<
      string,
      { exit: number; said: RegExp; cert?: string; key?: string; mode?: number }
    > = {
      'a key of another certificate': {
        exit: 2,
        said: /The certificate \S+cert\.pem does not match the key \S+key\.pem\./,
        key: makeCertificate().key,
      },
      'a certificate that is none': { exit: 2, said: /holds no certificate/, cert: 'none' },
      'a chain that is cut off': {
        exit: 2,
        said: /The certificate \S+cert\.pem can't be used: bad end line\./,
        cert: pem.cert + makeCertificate().cert.slice(0, 300),
      },
      'a key that is none': { exit: 2, said: /holds no private key/, key: pem.cert },
      'a key that others can read': {
        exit: 4,
        said: /can be read or changed by other users/,
        mode: 0o644,
      },
      'a key that the group can read': { exit: 4, said: /chmod 600/, mode: 0o640 },
    }
    for (const [
      name,
      { exit, said, cert = pem.cert, key = pem.key, mode = 0o600 },
    ] of Object.entries(cases))
      test(`${name}: exit ${exit}`, async () => {
        await using folder = await temporaryFolder()
        putPair({ cert, key }, folder.path('cert.pem'), folder.path('key.pem'))
        chmodSync(folder.path('key.pem'), mode)
        const args = ['serve', '--store', 'memory:', '--port', '0', '--tls-cert', 'cert.pem']
        const outcome = await run(program, [...args, '--tls-key', 'key.pem'], {
          cwd: folder.path(''),
        })
        assert.deepEqual([outcome.exit, outcome.stdout], [exit, ''])
        assert.match(outcome.stderr, said)
        assert.doesNotMatch(outcome.stderr, /BEGIN|MI[GI]/)
      })
  })
