import { globalOptions } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { clipped } from './text.ts'

/** Longer ones end in an ellipsis: every event of a batch holds the whole command. */
const charactersMax = 1_000

/** The command line as it was typed, for the log; without what every command takes, such as the store. */
export function commandText({ commandName, args }: Context): string {
  const options = args.ordered
    .filter(({ name }) => !Object.hasOwn(globalOptions, name) && name !== 'all')
    .map(({ typed, value }) => `${typed} ${quoted(value)}`)
  return clipped([commandName, ...options].join(' '), charactersMax)
}

/** As a shell takes it for one word. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
