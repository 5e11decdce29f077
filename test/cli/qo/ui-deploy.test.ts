import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, test, vi } from 'vitest'
import type { S3Account } from '../../servers/s3.ts'
import { sharedMinio, sharedMinistack } from '../../servers/shared.ts'
import { Desk, memoryDesk } from './desk.ts'

const types: readonly (readonly [path: RegExp, type: string])[] = [
  [/\/index\.html$/, 'text/html; charset=utf-8'],
  [/\.js$/, 'text/javascript; charset=utf-8'],
  [/\.css$/, 'text/css; charset=utf-8'],
  [/\.svg$/, 'image/svg+xml'],
]

const setting = (account: S3Account) => ({ env: account.environment })
const deskAt = async (account: S3Account) => {
  const bucket = await account.createBucket({ versioned: true })
  return { bucket, desk: new Desk(account.storeUrl(bucket), '.') }
}

describe('qo ui deploy', () => {
  let minio: S3Account
  let ministack: S3Account
  beforeAll(async () => {
    ;[minio, ministack] = [await sharedMinio(), await sharedMinistack()]
    // The driver looks for keys where the process has them.
    Object.assign(process.env, minio.environment)
  })

  test('puts the page below ui/ with its types, for everybody only where that is wanted', async () => {
    const { bucket, desk } = await deskAt(minio)
    const { exit, stdout, stderr } = await desk.run(['ui', 'deploy'], setting(minio))
    assert.deepEqual([exit, stdout], [0, `${minio.endpoint}/${bucket}/ui/index.html\n`], stderr)
    assert.match(stderr, /files written, 0 were there already/)
    assert.match(stderr, /add --public/)
    assert.equal((await fetch(stdout.trim())).status, 403)
    const again = await desk.run(['ui', 'deploy', '--public', '--json'], setting(minio))
    const { kind, data } = JSON.parse(again.stdout)
    assert.deepEqual([kind, data.written, data.policy], ['ui', 0, 'set'])
    const page = await (await fetch(data.url)).text()
    assert.match(page, /^<!doctype html>/)
    const names = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name)
    for (const name of ['index.html', ...names]) {
      const address = new URL(name as string, data.url).href
      const { status, headers } = await fetch(address)
      const type = types.find(([path]) => path.test(address))?.[1]
      assert.deepEqual([name, status, headers.get('content-type')], [name, 200, type])
    }
    const task = `${minio.endpoint}/${bucket}/tasks/0/x.json`
    assert.equal((await fetch(task)).status, 403, 'and nothing else is public')
  })

  test('warns where all buckets of the endpoint share the origin of the page', async () => {
    const { desk } = await deskAt(minio)
    const { exit, stderr } = await desk.run(['ui', 'deploy', '--quiet'], setting(minio))
    assert.equal(exit, 0)
    const { origin } = new URL(minio.endpoint)
    assert.match(stderr, new RegExp(`^qo: warning: .*the origin ${origin} with all buckets of`))
    const told = await desk.run(['ui', 'deploy', '--json'], setting(minio))
    assert.equal(JSON.parse(told.stdout).data.path_style, true)
    assert.match(told.stderr, /warning/)
  })

  test('says nothing of that where the bucket has a host of its own', async () => {
    const hosts = new Set<string | undefined>()
    const server = createServer(({ method, headers }, response) => {
      hosts.add(headers.host)
      response.writeHead(method === 'PUT' ? 200 : 404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const here = [{ address: '127.0.0.1', family: 4 }]
    const lookup = ((_host: string, _options: object, told: (error: null, at: object) => void) =>
      told(null, here)) as typeof dns.lookup
    vi.spyOn(dns, 'lookup').mockImplementation(lookup)
    try {
      const url = `s3://pages?endpoint=http://store.test:${port}&path_style=false`
      const { exit, stdout, stderr } = await new Desk(url, '.').run(['ui', 'deploy', '--quiet'])
      assert.deepEqual([exit, stderr], [0, ''])
      assert.equal(stdout, `http://pages.store.test:${port}/ui/index.html\n`)
      assert.deepEqual([...hosts], [`pages.store.test:${port}`])
    } finally {
      vi.restoreAllMocks()
      server.close()
    }
  })

  test('a page that is there in another version is replaced', async () => {
    const { bucket, desk } = await deskAt(minio)
    const old = { method: 'PUT', body: '<p>old</p>' }
    assert.ok((await minio.request(`/${bucket}/ui/index.html`, old)).ok)
    await desk.run(['ui', 'deploy'], setting(minio))
    const page = await (await minio.request(`/${bucket}/ui/index.html`)).text()
    assert.match(page, /^<!doctype html>/)
  })

  test('sets CORS rules where there are none, and leaves others alone', async () => {
    const { bucket, desk } = await deskAt(ministack)
    Object.assign(process.env, ministack.environment)
    try {
      const first = await desk.run(['ui', 'deploy', '--json'], setting(ministack))
      assert.equal(JSON.parse(first.stdout).data.cors, 'set', first.stdout)
      const rules = await (await ministack.request(`/${bucket}?cors`)).text()
      for (const word of ['<AllowedMethod>PUT', 'ETag', 'Date']) assert.ok(rules.includes(word))
      const again = await desk.run(['ui', 'deploy', '--json'], setting(ministack))
      assert.equal(JSON.parse(again.stdout).data.cors, 'there')
      const own =
        '<CORSConfiguration><CORSRule><AllowedOrigin>https://a.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>'
      await ministack.request(`/${bucket}?cors`, { method: 'PUT', body: own })
      const third = await desk.run(['ui', 'deploy'], setting(ministack))
      assert.match(third.stderr, /rules of its own, which were left alone/)
      assert.match(await (await ministack.request(`/${bucket}?cors`)).text(), /a\.example/)
    } finally {
      Object.assign(process.env, minio.environment)
    }
  })

  test('on another store is usage, a missing bucket 4', async () => {
    const { exit, code } = await memoryDesk().refusal('ui', 'deploy')
    assert.deepEqual([exit, code], [2, 'invalid'])
    const nowhere = new Desk(minio.storeUrl('no-such-bucket-at-all'), '.')
    assert.equal((await nowhere.run(['ui', 'deploy'], setting(minio))).exit, 4)
  })
})
