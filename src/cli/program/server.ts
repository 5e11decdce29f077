import type { AccessLogOptions, TlsFiles } from '../../http/index.ts'
import { oneLine, printableJson } from '../../terminal/index.ts'
import type { Options } from './command.ts'
import type { Context } from './context.ts'
import { pathIn, wordIn } from './option-value.ts'
import { ownTokenOf, tokenOptions, UnsafeFileError } from './own-token.ts'
import { type FoundSetting, rankOf } from './setting.ts'
import { typed } from './text.ts'

/** The options of a command that listens. */
export const listeningOptions = (port: number): Options => ({
  port: { value: 'N', about: `the port to listen on (default ${port}); 0 for any that is free` },
  host: {
    value: 'HOST',
    about: 'the address to listen on (default 127.0.0.1); others need a token of 20 characters',
  },
  socket: {
    value: 'PATH',
    about: 'listen on a Unix socket, which only you can use, instead of host and port',
    completes: 'files',
  },
  ...tokenOptions,
  'public-url': {
    value: 'URL',
    about: 'the address that your reverse proxy has, such as https://tasks.example.com',
  },
  'trust-proxy': { about: 'take client addresses from X-Forwarded-For' },
  'tls-cert': {
    value: 'FILE',
    about: 'serve HTTPS with this certificate chain (PEM); reloads it when it changes',
    completes: 'files',
  },
  'tls-key': {
    value: 'FILE',
    about: 'its private key (PEM), readable by you alone',
    completes: 'files',
  },
  insecure: { about: 'allow other addresses without TLS' },
  log: {
    value: 'FORMAT',
    about: 'the log format (default text); json also logs every change and refusal',
    choices: ['text', 'json'],
  },
})

/** What the options and settings say about listening; the token may stand in the environment instead. */
export const listeningOf = async (context: Context, tokenName: string) => ({
  ...(await listenAddressOf(context)),
  token: await ownTokenOf(context, tokenName),
  tls: await tlsOf(context),
  insecure: await context.isOn('insecure'),
  publicUrl: await publicUrlOf(context),
  trustsProxy: await context.isOn('trust-proxy'),
})

interface ListenAddress {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly socket: string | null
}

/** Of a socket and a port, what was said nearer to the command counts. */
async function listenAddressOf(context: Context): Promise<ListenAddress> {
  const socket = await context.setting('socket')
  const [host, port] = [await context.setting('host'), await context.setting('port')]
  const byPort = { host: host?.value, port: portIn(context, port), socket: null }
  if (socket === null) return byPort
  const others = [port, host].filter((each) => each !== null)
  const conflicting = others.find((each) => rankOf(each) === rankOf(socket))
  if (conflicting)
    throw context.usageError(
      `${socket.origin} and ${conflicting.origin} exclude each other.`,
      'Give one.',
    )
  if (others.some((each) => rankOf(each) < rankOf(socket))) return byPort
  return { host: undefined, port: undefined, socket: pathIn(context, socket) }
}

function portIn(context: Context, found: FoundSetting | null): number | undefined {
  if (found === null) return undefined
  const { value, origin } = found
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw context.usageError(
    `${origin} takes no "${typed(value)}".`,
    'Give a whole number from 0 to 65535.',
  )
}

async function tlsOf(context: Context): Promise<TlsFiles | null> {
  const [cert, key] = [await context.setting('tls-cert'), await context.setting('tls-key')]
  if (cert && key) return { certPath: pathIn(context, cert), keyPath: pathIn(context, key) }
  const [unpaired] = [cert, key].filter((each) => each !== null)
  if (unpaired)
    throw context.usageError(
      `${unpaired.origin} is given alone.`,
      `Pass --tls-cert and --tls-key together.`,
    )
  return null
}

/** What a browser may ask for: no pattern. */
const hostForm = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/

/** An origin. The page and the API are at its root, for they name each other by paths from there. */
async function publicUrlOf(context: Context): Promise<string | null> {
  const found = await context.setting('public-url')
  if (found === null) return null
  const url = URL.canParse(found.value) ? new URL(found.value) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin && hostForm.test(url.hostname)) return url.origin
  throw context.usageError(
    `${found.origin} is no origin.`,
    'Give scheme and host without a path, as https://tasks.example.com.',
  )
}

/** How long the program on a port may take to say what it is. */
const descriptionMsMax = 5_000

/** Explains why the server can't listen. If one of ours has the port, says which. */
export async function listeningFailure(context: Context, error: unknown): Promise<unknown> {
  const { ListenError } = await import('../../http/index.ts')
  if (!(error instanceof ListenError)) return error
  const { message, next, taken } = error
  if (error.isUnusableFile) return new UnsafeFileError(message, next)
  if (taken === null) return context.usageError(message, next)
  const title = await serverAt(taken)
  const whose =
    title === null ? '' : `It is ${title}: open ${taken}${startPages[title]} to see it. `
  const other = 'Take another port with --port N, or any that is free with --port 0.'
  return context.usageError(message, whose + other)
}

/** What each of our servers shows to a browser. */
const startPages = { Holdfast: '/', coven: '/docs' } as const

/** What listens there, by its description of itself; null for all that has none. */
async function serverAt(url: string): Promise<keyof typeof startPages | null> {
  try {
    const signal = AbortSignal.timeout(descriptionMsMax)
    const answer = await fetch(`${url}/openapi.json`, { signal })
    const { info } = (await answer.json()) as { info?: { title?: unknown } }
    return info?.title === 'Holdfast' || info?.title === 'coven' ? info.title : null
  } catch {
    return null
  }
}

/** What a server logs while it runs. */
export interface ServeLog {
  /** A line for the operator. */
  readonly log: (line: string) => void
  readonly warn: (line: string) => void
  readonly accessLog: AccessLogOptions
}

const logFormats = ['text', 'json'] as const

/** Text for a person. With JSON every line is an object, notes included. */
export async function serveLogOf(context: Context): Promise<ServeLog> {
  const { out, io, args, program } = context
  const format = wordIn(context, await context.setting('log'), logFormats) ?? 'text'
  const tell = (entry: string | object) =>
    io.stderr.write(`${typeof entry === 'string' ? oneLine(entry) : printableJson(entry)}\n`)
  const accessLog = { format, program: program.name, write: tell }
  if (format === 'text')
    return { log: (line) => out.note(line), warn: (line) => out.warn(line), accessLog }
  const say = (event: string) => (message: string) =>
    tell({ time: new Date().toISOString(), event, message })
  return { log: args.has('quiet') ? () => {} : say('note'), warn: say('warning'), accessLog }
}

/** Where a server is found. */
export interface Address {
  /** Where it listens; `unix:PATH` for a Unix socket. */
  readonly url: string
  readonly publicUrl: string | null
  /** Whether a request needed a token when it began. */
  readonly needsToken: boolean
}

/** Which server listens where, for a person. */
export const listensLines = (program: string, { url, publicUrl }: Address): string[] => [
  `${program} listens on ${oneLine(url)}`,
  ...(publicUrl === null ? [] : [`Its public URL is ${publicUrl}`]),
]

export function docsLine({ url, publicUrl }: Address): string {
  const [, path] = /^unix:(.*)$/s.exec(url) ?? []
  if (publicUrl === null && path !== undefined)
    return `The API is shown by: curl --unix-socket ${oneLine(path)} http://localhost/docs`
  return `The API is shown at ${publicUrl ?? url}/docs`
}

/** What to say of who is let in, where no token is needed. By a Unix socket that is its owner alone. */
export function accessLines({ url, publicUrl, needsToken }: Address): string[] {
  if (needsToken) return []
  const all = 'for no token is needed: "holdfast token add" adds one'
  if (publicUrl !== null) return [`Everyone who can reach ${publicUrl} has full access, ${all}`]
  return url.startsWith('unix:') ? [] : [`Every user of this machine has full access, ${all}`]
}

/** Where a server listens, for a program. */
export const addressData = ({ url, publicUrl }: Address) => ({
  url,
  ...(publicUrl === null ? {} : { public_url: publicUrl }),
})
