import type { Options } from './command.ts'
import type { Context } from './context.ts'

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
  token: tokenOf(context, tokenName),
})

async function portOf(context: Context): Promise<number | undefined> {
  const given = (await context.setting('port'))?.value
  if (given === undefined) return undefined
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN
  if (port <= 65_535) return port
  throw context.usageError(
    `--port takes no "${given.slice(0, 40)}".`,
    'Give a whole number from 0 to 65535.',
  )
}

function tokenOf(context: Context, name: string): string | null {
  const given = context.args.value('token') ?? (context.io.env[name] || undefined)
  if (given === undefined) return null
  // What a header can't carry could never be brought.
  if (/^[\x21-\x7e]+$/.test(given)) return given
  throw context.usageError(
    'The token is empty, or has characters other than plain ASCII.',
    'Give another.',
  )
}
