import type { TlsFiles } from '../../http/index.ts'
import type { Context } from './context.ts'
import { ownTokenOf } from './own-token.ts'
import type { FoundSetting } from './setting.ts'
import { pathIn } from './setting-value.ts'
import { typed } from './typed.ts'

/** What the options and settings say about listening; the token may stand in the environment instead. */
export const listeningOf = async (context: Context, tokenName: string) => ({
  ...(await placeOf(context)),
  token: await ownTokenOf(context, tokenName),
  tls: await tlsOf(context),
  insecure: await context.isOn('insecure'),
  publicUrl: await publicUrlOf(context),
  trustsProxy: await context.isOn('trust-proxy'),
})

interface Place {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly socket: string | null
}

const ranks: readonly FoundSetting['source'][] = [
  'flag',
  'environment',
  'project file',
  'user file',
]
const rankOf = ({ source }: FoundSetting): number => ranks.indexOf(source)

/** Of a socket and a port, what was said nearer to the command counts. */
async function placeOf(context: Context): Promise<Place> {
  const socket = await context.setting('socket')
  const [host, port] = [await context.setting('host'), await context.setting('port')]
  const byPort = { host: host?.value, port: portIn(context, port), socket: null }
  if (socket === null) return byPort
  const others = [port, host].filter((each) => each !== null)
  const rival = others.find((each) => rankOf(each) === rankOf(socket))
  if (rival)
    throw context.usageError(
      `${socket.origin} and ${rival.origin} exclude each other.`,
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
  const [lonely] = [cert, key].filter((each) => each !== null)
  if (lonely)
    throw context.usageError(
      `${lonely.origin} is given alone.`,
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
