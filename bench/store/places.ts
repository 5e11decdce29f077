import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kind } from './workload.js'

/** Where one measurement happens. */
export interface Place extends AsyncDisposable {
  readonly url: string
  readonly environment: Readonly<Record<string, string>>
}

export interface Places extends AsyncDisposable {
  make(kind: Kind): Promise<Place>
}

type Told = Omit<Place, typeof Symbol.asyncDispose>

/** Fresh files for SQLite; for the others, servers that start once and hold data of all measurements. */
export async function placesOf(kinds: readonly Kind[]): Promise<Places> {
  const needsServers = kinds.some((kind) => kind !== 'sqlite')
  const servers = needsServers ? await startServers() : null
  return {
    async make(kind) {
      if (kind === 'sqlite') return makeFile()
      const told = servers!.told[kind === 's3' ? 'minio' : 'nats']
      return { ...told, [Symbol.asyncDispose]: async () => {} }
    },
    [Symbol.asyncDispose]: async () => {
      if (!servers) return
      const ended = once(servers.process, 'exit')
      servers.process.kill('SIGTERM')
      await ended
    },
  }
}

async function makeFile(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
  return {
    url: `sqlite:${join(folder, 'bench.db')}`,
    environment: {},
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function startServers(): Promise<{
  readonly process: ChildProcess
  readonly told: Readonly<Record<'nats' | 'minio', Told>>
}> {
  const script = fileURLToPath(new URL('../../../scripts/servers.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { process: child, told: JSON.parse(line) }
}
