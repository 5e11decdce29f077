import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeCertificate } from '../http/certificate.ts'
import { sharedMinio, sharedNats } from '../servers/shared.ts'
import type { Page } from './page.ts'
import type { Setting } from './session.ts'

/** Blocks that another test runs, which names the page. */
export const elsewhere: readonly { page: string; language: string; test: string }[] = [
  { page: 'docs/coven.md', language: 'console', test: 'test/cli/coven/docs.test.ts' },
  { page: 'docs/http.md', language: 'sh', test: 'test/http/docs.test.ts' },
  { page: 'docs/serve.md', language: 'sh', test: 'test/http/docs.test.ts' },
]

/** Commands that no test runs, and why. What they name must be there all the same. */
export const notRun: readonly { command: RegExp; reason: string }[] = [
  {
    command: /^npm (start|test|run [\w-]+)\b/,
    reason: 'it runs for minutes, or is what runs this test; that the script exists is checked',
  },
]

/** A worker's module, and inputs for what is submitted from files. */
const queueFiles = (): Record<string, string> => ({
  'handlers.js': readFileSync('examples/queue-handlers.js', 'utf8'),
  'input.json': '{"month": 11}',
  'images.ndjson': '{"path": "a.png"}\n{"path": "b.png"}\n',
})

/** Stands in for the program `aws`, which not every machine has: makes a bucket on the real server. */
const aws = resolve('.tools/test/processes/aws.js')

const nats = async (): Promise<Setting> => ({
  replace: { 'nats://localhost:4222': (await sharedNats()).url },
})

/** A page that makes its bucket itself, on the server that its words mean. */
async function server(): Promise<Setting> {
  const { endpoint, environment } = await sharedMinio()
  const name = `holdfast-${randomUUID()}`
  return {
    replace: {
      'AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…': 'DOCS=1',
      // Trying a server out has tests of its own, and is more than a thousand writes.
      '?endpoint=http://localhost:9000': `?endpoint=${endpoint}&probe=never`,
      'http://localhost:9000': endpoint,
      'aws --endpoint-url': `${process.execPath} ${aws} --endpoint-url`,
      'task-queue': name,
    },
    env: environment,
  }
}

/** A page whose bucket is there. */
async function bucket(): Promise<Setting> {
  const account = await sharedMinio()
  const name = await account.createBucket({ versioned: true })
  return {
    replace: { 's3://task-queue': `'${account.storeUrl(name)}&probe=never'` },
    env: account.environment,
  }
}

const settings: Readonly<Record<string, () => Promise<Setting>>> = {
  'README.md': async () => ({ links: ['bin', 'examples'] }),
  'docs/dashboard.md': async () => merged(await nats(), await bucket(), loopback),
  'docs/http.md': async () => ({ meanwhile: 'coven task create --title "Tag it"' }),
  'docs/qo.md': async () => merged(await server(), { files: queueFiles() }),
  'docs/stores/nats.md': nats,
  'docs/stores/s3.md': server,
  'docs/serve.md': async () => {
    const { cert, key } = makeCertificate()
    const files = { 'cert.pem': cert, 'key.pem': key }
    return { meanwhile: 'qo submit --type mail', files, replace: { '0.0.0.0': '127.0.0.1' } }
  },
}

/** Nobody else shall reach what a test starts. */
const loopback: Setting = {
  replace: { '0.0.0.0': '127.0.0.1', 'HOLDFAST_TOKEN=…': 'HOLDFAST_TOKEN=x' },
}

const merged = (...all: readonly Setting[]): Setting => ({
  ...Object.assign({}, ...all),
  replace: Object.assign({}, ...all.map(({ replace }) => replace)),
})

export const settingOf = async ({ path }: Page): Promise<Setting> =>
  (await settings[path]?.()) ?? {}
