import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { RawConnection, request } from '../raw.ts'
import { servedAll } from './served.ts'

const script = `console.log(${JSON.stringify('x'.repeat(5_000))})\n`

async function builtPage() {
  const folder = await temporaryFolder()
  await mkdir(folder.path('web/assets/deep'), { recursive: true })
  const files = {
    'index.html': '<!doctype html><script type="module" src="/assets/app-BxYz1234.js"></script>',
    'assets/app-BxYz1234.js': script,
    'assets/deep/style.css': 'body {}',
    'icon.svg': '<svg/>',
    'odd.xyz': '?',
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(folder.path(`web/${name}`), content)
  await writeFile(folder.path('secret.txt'), 'secret')
  return folder
}

describe('the page', () => {
  test('is at /, with its files, their types, and a strict policy', async () => {
    await using folder = await builtPage()
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { webFolder: folder.path('web') })
    const types = {
      '/': 'text/html; charset=utf-8',
      '/index.html': 'text/html; charset=utf-8',
      '/assets/app-BxYz1234.js': 'text/javascript; charset=utf-8',
      '/assets/deep/style.css': 'text/css; charset=utf-8',
      '/icon.svg': 'image/svg+xml',
      '/odd.xyz': 'application/octet-stream',
    }
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await fetch(`${serving.url}${path}`)
      assert.deepEqual([path, status, headers.get('content-type')], [path, 200, type])
      const policy = headers.get('content-security-policy') as string
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
    }
  })

  test('what has a hash in its name is kept for ever, the rest is asked for again', async () => {
    await using folder = await builtPage()
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { webFolder: folder.path('web') })
    const hashed = await fetch(`${serving.url}/assets/app-BxYz1234.js`)
    assert.equal(hashed.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    for (const path of ['/', '/assets/deep/style.css']) {
      const first = await fetch(`${serving.url}${path}`)
      assert.equal(first.headers.get('cache-control'), 'no-cache')
      const again = await fetch(`${serving.url}${path}`, {
        headers: { 'If-None-Match': first.headers.get('etag') as string },
      })
      assert.deepEqual([again.status, await again.text()], [304, ''])
    }
  })

  test('comes packed to whoever can unpack it', async () => {
    await using folder = await builtPage()
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { webFolder: folder.path('web') })
    const ask = async (accepted: string) => {
      using connection = await RawConnection.to(serving.url)
      connection.write(request('GET /assets/app-BxYz1234.js', [`Accept-Encoding: ${accepted}`]))
      return await connection.answer()
    }
    const packed = await ask('br, gzip')
    assert.match(packed.head, /content-encoding: gzip/i)
    assert.match(packed.head, /vary: accept-encoding/i)
    assert.equal(gunzipSync(Buffer.from(packed.body, 'latin1')).toString(), script)
    for (const accepted of ['br', 'gzip;q=0', '']) {
      const plain = await ask(accepted)
      assert.doesNotMatch(plain.head, /content-encoding/i)
      assert.equal(plain.body, script)
    }
  })

  test('no path leads out of the folder, and only GET and HEAD are known', async () => {
    await using folder = await builtPage()
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { webFolder: folder.path('web') })
    const paths = ['/../secret.txt', '/%2e%2e/secret.txt', '/assets/../../secret.txt', '/assets']
    for (const path of [...paths, '/assets/', '/..%2fsecret.txt', '/.', '//index.html']) {
      using connection = await RawConnection.to(serving.url)
      connection.write(request(`GET ${path}`))
      const { status, body } = await connection.answer()
      assert.deepEqual([path, status], [path, 404])
      assert.doesNotMatch(body, /"secret"|^secret/)
    }
    const posted = await fetch(serving.url, { method: 'POST' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
    const head = await fetch(serving.url, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  test('is shown without the token, which the API asks for', async () => {
    await using folder = await builtPage()
    await using store = await openStore('memory:')
    const options = { webFolder: folder.path('web'), token: 'sesame' }
    await using serving = await servedAll(store, options)
    for (const path of ['/', '/assets/app-BxYz1234.js', '/docs', '/openapi.json'])
      assert.equal((await fetch(`${serving.url}${path}`)).status, 200)
    assert.equal((await fetch(`${serving.url}/api/models`)).status, 401)
  })

  test('where it was not built, a few words say where the API is', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore('memory:')
    for (const webFolder of [null, folder.path('nothing'), folder.path('')]) {
      await using serving = await servedAll(store, { webFolder })
      const response = await fetch(serving.url)
      assert.equal(response.status, 200)
      assert.match(await response.text(), /<a href="\/docs">/)
      assert.match(response.headers.get('content-security-policy') as string, /default-src 'none'/)
    }
  })
})
