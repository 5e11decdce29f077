import type { SiteReport } from '../../store/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'

const folder = 'ui'

export const deploy: Command = {
  name: 'deploy',
  about: 'put the dashboard into the bucket, and print its address',
  details:
    'The page lies below ui/ and shows the queue of its bucket: whoever opens it gives keys, which stay in the browser. Give the page a bucket of its own, addressed by host (path_style=false): with the bucket in the path, every other bucket of the endpoint shares its origin, and you are warned. Rules of the bucket for other origins (CORS) are set where there are none. Other stores are shown by holdfast serve.',
  options: {
    public: { about: 'let everybody load the page: what lies below ui/, and nothing else' },
  },
  examples: ['qo ui deploy --store s3://task-queue', 'qo ui deploy --public'],
  async run(context) {
    const { url } = await context.storeChoice()
    if (!url.startsWith('s3:'))
      throw context.usageError(
        'Only a bucket can hold the page.',
        'Give --store s3://BUCKET, or run holdfast serve to look at this store.',
      )
    const { publishSite } = await import('../../store/internal.ts')
    const { pageFiles } = await import('./page-files.ts')
    const { webFolder } = await import('../package-folder.ts')
    const files = pageFiles(webFolder())
    if (files.length === 0)
      throw context.usageError(
        'The dashboard is not part of this installation.',
        'Build it with npm run build, or install the package again.',
      )
    tell(context, await publishSite(url, { folder, files, isPublic: context.args.has('public') }))
  },
}

/** Pages from other addresses than the bucket's own need this. */
const corsNotes: Readonly<Record<string, (bucket: string) => string>> = {
  refused: (bucket) =>
    `These keys may not set the CORS rules of the bucket. Whoever may, and finds none there, runs: aws s3api put-bucket-cors --bucket ${bucket} --cors-configuration '{"CORSRules":[{"AllowedOrigins":["*"],"AllowedMethods":["GET","PUT","HEAD"],"AllowedHeaders":["*"],"ExposeHeaders":["ETag","Date"]}]}'`,
  other: () =>
    'The bucket has CORS rules of its own, which were left alone. For pages from other addresses add one that allows GET, PUT and HEAD with all headers, and exposes ETag and Date.',
}

const policyNotes: Readonly<Record<string, string>> = {
  refused:
    'These keys may not set the policy of the bucket: let s3:GetObject on ui/* be allowed to everybody.',
  other:
    'The bucket has a policy of its own, which was left alone: add that s3:GetObject on ui/* is allowed to everybody.',
  unsupported: 'This server has no policies of buckets: see how it lets everybody read ui/*.',
}

const sharedOrigin = (origin: string): string =>
  `The page shares the origin ${origin} with all buckets of that endpoint: anyone who can upload HTML to one of them can read the keys typed into the page. Use path_style=false or holdfast serve; see docs/dashboard.md.`

const unread =
  'Browsers load the page without keys: where ui/* may not be read by everybody, add --public, or put it behind a login of your own.'

function tell({ out }: Context, report: SiteReport): void {
  const { url, bucket, written, kept, cors, policy } = report
  const { isPathStyle, ...told } = report
  out.answer({ kind: 'ui', data: { ...told, path_style: isPathStyle }, lines: [url] })
  if (isPathStyle) out.warn(sharedOrigin(new URL(url).origin))
  out.note(`${written} files written, ${kept} were there already.`)
  const corsNote = corsNotes[cors]?.(bucket)
  if (corsNote !== undefined) out.note(corsNote)
  if (policy === null) out.note(unread)
  else if (policyNotes[policy] !== undefined) out.note(policyNotes[policy])
}
