import type { Options } from './command.ts'
import type { Context } from './context.ts'
import { typed } from './typed.ts'

/** The options of a command that listens. */
export const listeningOptions = (port: number): Options => ({
  port: {
    value: 'N',
    about: `the port to listen on, ${port} if left out; 0 for any that is free`,
  },
  host: { value: 'HOST', about: 'the address to listen on, 127.0.0.1 if left out' },
  token: { value: 'TOKEN', about: 'what every request must bring as its bearer token' },
})

/** What these options say; the token may stand in the environment instead. */
export const listeningOf = async (context: Context, tokenName: string) => ({
  host: (await context.setting('host'))?.value,
  port: await portOf(context),
  token: await tokenOf(context, tokenName),
})

/** How long whoever has a port may take to say who it is. */
const neighbourMsMax = 5_000

/** Why it can't listen, for a person; where one of ours listens there already, that is told, too. */
export async function listeningFailure(context: Context, error: unknown): Promise<unknown> {
  const { ListenError } = await import('../../http/index.ts')
  if (!(error instanceof ListenError)) return error
  const { message, next, taken } = error
  if (taken === null) return context.usageError(message, next)
  const title = await neighbour(taken)
  const whose = title === null ? '' : `It is ${title}: open ${taken}${pages[title]} to see it. `
  const other = 'Take another port with --port N, or any that is free with --port 0.'
  return context.usageError(message, whose + other)
}

/** What each of our servers shows to a browser. */
const pages = { Holdfast: '/', coven: '/docs' } as const

/** What listens there, by its description of itself; null for all that has none. */
async function neighbour(url: string): Promise<keyof typeof pages | null> {
  try {
    const signal = AbortSignal.timeout(neighbourMsMax)
    const answer = await fetch(`${url}/openapi.json`, { signal })
    const { info } = (await answer.json()) as { info?: { title?: unknown } }
    return info?.title === 'Holdfast' || info?.title === 'coven' ? info.title : null
  } catch {
    return null
  }
}

async function portOf(context: Context): Promise<number | undefined> {
  const found = await context.setting('port')
  if (found === null) return undefined
  const { value, origin } = found
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw context.usageError(
    `${origin} takes no "${typed(value)}".`,
    'Give a whole number from 0 to 65535.',
  )
}

async function tokenOf(context: Context, name: string): Promise<string | null> {
  const given = (await context.setting('token', [name]))?.value
  if (given === undefined) return null
  // What a header can't carry could never be brought.
  if (/^[\x21-\x7e]+$/.test(given)) return given
  throw context.usageError(
    'The token is empty, or has characters other than plain ASCII.',
    'Give another.',
  )
}
