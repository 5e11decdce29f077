import type { SiteOptions, SiteReport } from './drivers/s3/site.ts'

export type { SiteFile, SiteReport } from './drivers/s3/site.ts'

/**
 * Puts files for browsers into the bucket of an S3 store, beside what is stored there. They are not values of the store:
 * a browser reads them as they are, and they may be replaced.
 */
export async function publishSite(url: string, options: SiteOptions): Promise<SiteReport> {
  const { publishSite: publish } = await import('./drivers/s3/site.ts')
  return publish(url, options)
}
