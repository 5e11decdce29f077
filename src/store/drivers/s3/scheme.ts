import type { Scheme } from '../../scheme.ts'

export const s3: Scheme = {
  forms: ['s3://BUCKET?endpoint=URL'],
  shown: {
    folder: /^[\w./~%+=-]*$/,
    harmless: {
      timeout_ms: /^\d{1,9}$/,
      poll_ms: /^\d{1,9}$/,
      path_style: /^(true|false)$/,
      versioned: /^(true|false)$/,
      probe: /^[a-z]{1,12}$/,
      region: /^[a-z]{2}[a-z0-9-]{0,30}$/,
    },
    addresses: ['endpoint'],
    secrets: [],
  },
  sharedBy: 'network',
  async open(rest, options) {
    const { openS3 } = await import('./driver.ts')
    return openS3(`s3:${rest}`, options)
  },
  // A bucket that is missing altogether is never made.
  isBegunByAdding: (_, error) => /ever stored/.test(String(error)),
  keepingVersions(url) {
    if (!URL.canParse(url)) return url
    const wanted = new URL(url)
    wanted.searchParams.set('versioned', 'true')
    return wanted.href
  },
  async *examine(url, options) {
    const { examineS3 } = await import('./examination.ts')
    yield* examineS3(url, options)
  },
  async publishSite(url, options) {
    const { publishSite } = await import('./site.ts')
    return publishSite(url, options)
  },
}
