/** Where a bucket is, as a person says it. An empty endpoint is that of AWS. */
export interface Place {
  readonly bucket: string
  readonly prefix: string
  readonly endpoint: string
  readonly region: string
}

export const regionDefault = 'us-east-1'
const nowhere: Place = { bucket: '', prefix: '', endpoint: '', region: regionDefault }

/** The page may lie in the very bucket that it is to show, below `ui/`; then its address says which. */
export function guessPlace(href: string): Place {
  const { origin, hostname, pathname } = new URL(href)
  const aws = /^(.+)\.s3(?:-website)?[.-]([a-z]+-[a-z-]+-\d)\.amazonaws\.com$/.exec(hostname)
  const folders = decodeURI(pathname).split('/').slice(1, -1)
  if (folders.at(-1) !== 'ui') return nowhere
  if (aws)
    return {
      bucket: aws[1] as string,
      prefix: folders.slice(0, -1).join('/'),
      endpoint: '',
      region: aws[2] as string,
    }
  const [bucket, ...prefix] = folders.slice(0, -1)
  if (bucket === undefined) return nowhere
  return { bucket, prefix: prefix.join('/'), endpoint: origin, region: regionDefault }
}
