import type { SiteFile, SiteReport } from '../../store/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'

const siteFolder = 'ui'

const deploy: Command = {
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
    const { schemeOf } = await import('../../store/internal.ts')
    const scheme = schemeOf(url)
    if (!scheme?.publishSite)
      throw context.usageError(
        'Only a bucket can hold the page.',
        'Give --store s3://BUCKET, or run holdfast serve to look at this store.',
      )
    const { webFolder } = await import('../package.ts')
    const files = await pageFiles(webFolder())
    if (files.length === 0)
      throw context.usageError(
        'The dashboard is not part of this installation.',
        'Build it with npm run build, or install the package again.',
      )
    showReport(
      context,
      await scheme.publishSite(url, {
        folder: siteFolder,
        files,
        isPublic: context.args.has('public'),
      }),
    )
  },
}

/** The files of the page, with the one that names the others last; none where it was not built. */
export async function pageFiles(folder: string): Promise<SiteFile[]> {
  const { filesIn } = await import('../../http/index.ts')
  return filesIn(folder)
    .map(({ path, bytes }) => ({ path, body: bytes, isHashed: path.startsWith('assets/') }))
    .sort((a, b) => Number(a.path === 'index.html') - Number(b.path === 'index.html'))
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

const sharedOriginWarning = (origin: string): string =>
  `The page shares the origin ${origin} with all buckets of that endpoint: anyone who can upload HTML to one of them can read the keys typed into the page. Use path_style=false or holdfast serve; see docs/dashboard.md.`

const publicNote =
  'Browsers load the page without keys: where ui/* may not be read by everybody, add --public, or put it behind a login of your own.'

function showReport({ out }: Context, report: SiteReport): void {
  const { url, bucket, written, kept, cors, policy } = report
  const { isPathStyle, ...rest } = report
  out.answer({ kind: 'ui', data: { ...rest, path_style: isPathStyle }, lines: [url] })
  if (isPathStyle) out.warn(sharedOriginWarning(new URL(url).origin))
  out.note(`${written} files written, ${kept} were there already.`)
  const corsNote = corsNotes[cors]?.(bucket)
  if (corsNote !== undefined) out.note(corsNote)
  if (policy === null) out.note(publicNote)
  else if (policyNotes[policy] !== undefined) out.note(policyNotes[policy])
}

export const ui: Command = {
  name: 'ui',
  about: 'the dashboard in the bucket itself',
  commands: [deploy],
}
