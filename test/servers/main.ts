// What `npm run servers` runs: the servers of the tests, for a person to try Holdfast on.
import { once } from 'node:events'
import { startNats } from './nats.ts'
import { type S3Server, startMinio, startMinistack } from './s3.ts'

/** For a person, or with `json` for a program: one line that holds the URLs and the variables they need. */
export async function runServers({ json }: { json: boolean }): Promise<void> {
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
  // A signal that is waited for does not keep a program running.
  const clock = setInterval(() => {}, 60_000)
  const [nats, minio, ministack] = await Promise.all([
    startNats({ durable: true }),
    startMinio({ onDisk: true }),
    startMinistack({ onDisk: true }),
  ])
  const told = {
    nats: { url: nats.url, environment: {} },
    minio: await tell(minio),
    ministack: await tell(ministack),
  }
  process.stdout.write(json ? `${JSON.stringify(told)}\n` : forPerson(told))
  await interrupted
  clearInterval(clock)
  await Promise.all([nats, minio, ministack].map((server) => server[Symbol.asyncDispose]()))
}

interface Told {
  readonly url: string
  readonly environment: Readonly<Record<string, string>>
}

async function tell({ account }: S3Server): Promise<Told> {
  const bucket = await account.createBucket({ versioned: true })
  return { url: account.storeUrl(bucket), environment: account.environment }
}

function forPerson({
  nats,
  minio,
  ministack,
}: Record<'nats' | 'minio' | 'ministack', Told>): string {
  return [
    'Each of these is the URL of a store, for openStore().',
    ...['', 'NATS, which syncs every write to disk:', `  ${nats.url}`],
    ...linesOf('MinIO', minio),
    ...linesOf('ministack, an emulator of S3', ministack),
    ...['', 'Ctrl-C ends them and removes their data.', ''],
  ].join('\n')
}

function linesOf(title: string, { url, environment }: Told): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  // In quotes, for a shell would take the & as its own.
  return ['', `${title}, with a versioned bucket:`, `  '${url}'`, `  export ${variables.join(' ')}`]
}
