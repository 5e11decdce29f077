import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isUnchanged } from '../etag.ts'
import { commonHeaders } from '../response.ts'
import { filesIn } from './folder.ts'

/** Files for a browser, by the paths at which they are found. */
type Site = Readonly<Record<string, (request: Request) => Response>>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** What gains nothing from being packed again. */
const packed = new Set(['.png', '.webp', '.ico', '.woff2'])
const packedBytesMin = 1_000

/** Nothing inline runs, nothing comes from elsewhere, nothing is sent elsewhere, and nobody frames it. */
const security = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}

/** A name that holds a hash of its content never means anything else. */
const hashed = /^\/assets\/.*[-.][\w-]{8,}\.\w+$/
const forever = 'public, max-age=31536000, immutable'

/**
 * The files of a folder, read once: what is served fits together, and no path leads out of it. Without the folder, or
 * without a page in it, a few words about where the API is.
 */
export function siteOf(folder: string | null): Site {
  const files = Object.fromEntries(
    (folder === null ? [] : filesIn(folder)).map(({ path, bytes }) => [
      `/${path}`,
      fileOf(`/${path}`, bytes, extname(path).toLowerCase()),
    ]),
  )
  const index = files['/index.html']
  return index ? { ...files, '/': index } : { '/': fileOf('/', Buffer.from(placeholder), '.html') }
}

function fileOf(path: string, bytes: Buffer, extension: string) {
  const ETag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const isPacked = !packed.has(extension) && bytes.length >= packedBytesMin
  // Once, when somebody asks for it: most who call a server want no page of it.
  let gzipped: Uint8Array<ArrayBuffer> | null = null
  const headers = {
    ...commonHeaders,
    ...security,
    'Content-Type': types[extension] ?? 'application/octet-stream',
    'Cache-Control': hashed.test(path) ? forever : 'no-cache',
    ETag,
    ...(isPacked ? { Vary: 'Accept-Encoding' } : {}),
  }
  return ({ headers: asked }: Request): Response => {
    if (isUnchanged(asked.get('if-none-match') ?? undefined, ETag))
      return new Response(null, { status: 304, headers })
    if (
      !isPacked ||
      !/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(asked.get('accept-encoding') ?? '')
    )
      return new Response(new Uint8Array(bytes), { headers })
    gzipped ??= new Uint8Array(gzipSync(bytes))
    return new Response(gzipped, {
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    })
  }
}

const placeholder = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<h1>Holdfast</h1>
<p>The dashboard is not part of this installation. The API is shown at <a href="/docs">/docs</a>.</p>
</html>
`
