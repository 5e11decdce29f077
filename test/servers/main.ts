// What `npm run servers` runs: the servers of the tests, for a person to try Holdfast on.
import { once } from 'node:events'
import { startNats } from './nats.ts'
import { type S3Server, startMinio, startMinistack } from './s3.ts'

export async function runServers(): Promise<void> {
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
  // A signal that is waited for does not keep a program running.
  const clock = setInterval(() => {}, 60_000)
  const [nats, minio, ministack] = await Promise.all([
    startNats({ durable: true }),
    startMinio(),
    startMinistack(),
  ])
  const lines = [
    'Each of these is a store: paste one of them as HOLDFAST_STORE or behind --store.',
    ...['', 'NATS, which syncs every write to disk:', `  ${nats.url}`],
    ...(await linesOf('MinIO', minio)),
    ...(await linesOf('ministack, an emulator of S3', ministack)),
    ...['', 'Ctrl-C ends them and removes their data.', ''],
  ]
  process.stdout.write(lines.join('\n'))
  await interrupted
  clearInterval(clock)
  await Promise.all([nats, minio, ministack].map((server) => server[Symbol.asyncDispose]()))
}

async function linesOf(title: string, { account }: S3Server): Promise<string[]> {
  const bucket = await account.createBucket({ versioned: true })
  const variables = Object.entries(account.environment).map(([name, value]) => `${name}=${value}`)
  // In quotes, for a shell would take the & as its own.
  const url = `'${account.storeUrl(bucket)}'`
  return ['', `${title}, with a versioned bucket:`, `  ${url}`, `  export ${variables.join(' ')}`]
}
