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
export const listeningOf = (context: Context, tokenName: string) => ({
  host: context.args.value('host'),
  port: portOf(context),
  token: tokenOf(context, tokenName),
})

function portOf(context: Context): number | undefined {
  const given = context.args.value('port')
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

/** Waits until the process is asked to end; asked twice, it ends at once. */
export function endOf(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve(signal)
      })
  })
}
