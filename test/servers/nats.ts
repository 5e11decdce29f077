import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { natsServer } from '../../scripts/fetch/paths.mjs'
import { type Certificates, makeCertificates } from './certificate.ts'
import { makeCreds } from './creds.ts'
import { freePorts } from './port.ts'
import { type Launch, Server, type ServerOptions, started } from './server.ts'

export interface NatsOptions extends Pick<ServerOptions, 'oneProcessor' | 'disk'> {
  /** Its data is on disk, and every write is synced before it is acknowledged, as by default it is not. */
  readonly durable?: boolean
  readonly jetstream?: boolean
  readonly user?: { readonly name: string; readonly password: string }
  readonly token?: string
  /** Public keys of users, each beginning with U. */
  readonly nkeys?: readonly string[]
  /** Knows one user, by a creds file: {@link NatsServer.credsFile}. */
  readonly creds?: boolean
  /** `verify` asks clients for a certificate as well. */
  readonly tls?: boolean | 'verify'
  /** Anything else of the server's configuration, such as accounts and permissions. */
  readonly config?: Readonly<Record<string, unknown>>
}

interface NatsPorts {
  readonly client: number
  readonly monitor: number
}

export class NatsServer extends Server {
  readonly name = `test-${randomUUID()}`
  readonly port: number
  /** `nats://127.0.0.1:PORT`, without credentials. */
  readonly url: string
  certificates: Certificates | undefined
  readonly #creds: ReturnType<typeof makeCreds> | undefined
  readonly #options: NatsOptions
  readonly #ports: NatsPorts

  constructor(options: NatsOptions, ports: NatsPorts) {
    const { durable: onDisk = false, oneProcessor = false, disk } = options
    super('NATS', natsServer(), { onDisk, oneProcessor, disk })
    this.#options = options
    this.#ports = ports
    this.port = ports.client
    this.url = `nats://127.0.0.1:${ports.client}`
    this.#creds = options.creds ? makeCreds(this.folder) : undefined
  }

  get credsFile(): string | undefined {
    return this.#creds?.file
  }

  get monitorUrl(): string {
    return `http://127.0.0.1:${this.#ports.monitor}`
  }

  /** What a path of the monitoring port says, such as `varz`, `healthz` or `jsz`. */
  async monitor<T>(path: string): Promise<T> {
    const url = `${this.monitorUrl}/${path}`
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    return (await response.json()) as T
  }

  protected override launch(): Launch {
    const path = join(this.folder, 'nats.conf')
    // The server reads JSON as well as its own format.
    writeFileSync(path, JSON.stringify(this.#config()))
    return { args: ['-c', path] }
  }

  protected override async isReady(): Promise<boolean> {
    if (!(await greetingAt(this.port)).includes(this.name)) return false
    // A node of a cluster can do no more alone: whether there is a leader is asked of the cluster.
    const path = this.#options.config?.['cluster'] ? 'healthz?js-enabled-only=true' : 'healthz'
    return (await this.monitor<{ status: string }>(path)).status === 'ok'
  }

  #config(): Record<string, unknown> {
    const { durable = false, jetstream = true, config } = this.#options
    const storage = {
      store_dir: join(this.dataFolder, 'jetstream'),
      ...(durable ? { sync_interval: 'always' } : {}),
    }
    return {
      server_name: this.name,
      listen: `127.0.0.1:${this.#ports.client}`,
      http: `127.0.0.1:${this.#ports.monitor}`,
      ...(jetstream ? { jetstream: storage } : {}),
      ...this.#authorization(),
      ...this.#tls(),
      ...this.#creds?.config,
      ...config,
    }
  }

  #authorization(): Record<string, unknown> {
    const { user, token, nkeys } = this.#options
    if (user) return { authorization: { user: user.name, password: user.password } }
    if (token !== undefined) return { authorization: { token } }
    return nkeys ? { authorization: { users: nkeys.map((nkey) => ({ nkey })) } } : {}
  }

  #tls(): Record<string, unknown> {
    if (!this.certificates) return {}
    const { authority, server } = this.certificates
    const verify = this.#options.tls === 'verify'
    const files = { cert_file: server.certificate, key_file: server.key, ca_file: authority }
    return { tls: { ...files, verify } }
  }
}

/** A NATS server of its own for one test. */
export const startNats = (options: NatsOptions = {}): Promise<NatsServer> =>
  started(async () => {
    const [client, monitor] = (await freePorts(2)) as [number, number]
    const server = new NatsServer(options, { client, monitor })
    if (options.tls) server.certificates = await makeCertificates(server.folder)
    return server
  })

/** The line with which a server greets, before any TLS or credentials. */
async function greetingAt(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(2_000, () => socket.destroy(new Error('No greeting')))
  try {
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    return greeting.toString()
  } finally {
    socket.destroy()
  }
}
