import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { webFolder } from './served.ts'

const firstLoadBytesMax = 60_000
const bucketBytesMax = 45_000

const files = readdirSync(webFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const texts = new Map(files.map((file) => [file.slice(webFolder.length + 1), readFileSync(file)]))
const page = texts.get('index.html')?.toString() ?? ''

describe('the page as it is published', () => {
  const sizeOf = (loaded: readonly (readonly [name: string, body: Buffer])[]): number =>
    loaded.reduce((sum, [, body]) => sum + gzipSync(body).length, 0)

  test(`is less than ${firstLoadBytesMax / 1000} kB on its way to the browser`, () => {
    const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name)
    const loaded = [...texts].filter(([name]) => name === 'index.html' || named.includes(name))
    assert.ok(sizeOf(loaded) < firstLoadBytesMax, `${sizeOf(loaded)} bytes`)
    assert.ok(loaded.length >= 4, 'page, script, style and icon')
  })

  test(`brings the part for buckets when one is opened, in less than ${bucketBytesMax / 1000} kB more`, () => {
    const later = [...texts].filter(([name]) => name.endsWith('.js') && !page.includes(name))
    assert.ok(sizeOf(later) < bucketBytesMax, `${sizeOf(later)} bytes`)
    const scripts = [...texts].filter(([name]) => name.endsWith('.js'))
    const signing = scripts.filter(([, body]) => body.includes('AWS4-HMAC-SHA256'))
    assert.equal(signing.length, 1, 'one part signs requests')
    assert.ok(!page.includes(signing[0]?.[0] ?? ''), 'and the page does not name it')
  })

  test('runs nothing inline, and says so to the browser', () => {
    assert.match(page, /http-equiv="Content-Security-Policy"/)
    assert.match(page, /script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(page, /unsafe|<style|\son\w+=|style=/)
    for (const [, attributes, body] of page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
      assert.match(attributes ?? '', /src="\.\//)
      assert.equal(body?.trim(), '')
    }
  })

  test('brings nothing of Node, and asks nobody else', () => {
    const script = [...texts].filter(([name]) => name.endsWith('.js'))
    for (const [name, body] of script) {
      const text = body.toString()
      assert.doesNotMatch(text, /["'`]node:/, name)
      assert.doesNotMatch(text, /\bBuffer\.|\bprocess\.env/, name)
      assert.doesNotMatch(text, /\beval\(|new Function\(/, name)
    }
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g))
      assert.match(address ?? '', /^\.\//)
  })

  test('names the licences of what it holds', () => {
    const licences = texts.get('LICENSES.txt')?.toString() ?? ''
    for (const name of ['preact', '@noble/hashes', 'ulid']) assert.match(licences, new RegExp(name))
  })
})
