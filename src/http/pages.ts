import { openApiOf } from './openapi.ts'
import { docsPage } from './page/page.ts'
import { commonHeaders } from './response.ts'
import type { Api } from './route.ts'

/** The document, and the page that is made of it; made when they are first asked for. */
export function pagesOf(api: Api): Readonly<Record<string, () => Response>> {
  const document = lazily(() => openApiOf(api))
  const page = lazily(() => docsPage(document()))
  const response = (text: string, type: string, more: Record<string, string> = {}) =>
    new Response(text, { headers: { ...commonHeaders, 'Content-Type': type, ...more } })
  const json = lazily(() => JSON.stringify(document(), null, 2))
  return {
    '/openapi.json': () => response(json(), 'application/json'),
    '/docs': () => response(page().html, 'text/html; charset=utf-8', pageSecurity),
    '/docs.css': () => response(page().css, 'text/css; charset=utf-8'),
  }
}

/** Nothing runs on the page, and nothing comes from elsewhere. */
const pageSecurity = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
