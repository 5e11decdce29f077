import type { Refusal } from '../../collection/index.ts'
import { schemeOf, storeUrlForms } from '../../store/internal.ts'
import type { Context } from './context.ts'
import type { Io } from './io.ts'
import type { DefaultStore } from './store-choice.ts'

/**
 * A program as a table. Parsing, help, completion and usage errors are all read off it, so that they
 * can't contradict each other.
 */
export interface Program {
  readonly name: string
  /** One sentence, for the top of the help. */
  readonly about: string
  readonly commands: readonly Command[]
  /** The words to put in where no command is named; without them that is a usage error. */
  readonly bare?: { readonly words: readonly string[]; readonly about: string }
  readonly examples?: readonly string[]
  /** The command that makes a store, named in the error where there is none. */
  readonly starter?: string
  /** A store that variables of the program's own name; it comes after HOLDFAST_STORE and before files. */
  readonly environmentStore?: (io: Io) => string | undefined
  /** The store where no setting names one; the user's own file if left out. */
  readonly defaultStore?: (io: Io) => DefaultStore
  /** What stands before an error; the program's name if left out. */
  readonly errorLabel?: string
  /** Exit codes that say more than those of all programs; undefined where those will do. */
  readonly exitCodeOf?: (refusal: Refusal) => number | undefined
}

export interface Command {
  readonly name: string
  /** Other names for it: a long one where the first is a letter. */
  readonly aliases?: readonly string[]
  /** Half a sentence, for lists of commands. */
  readonly about: string
  /** What more there is to know, for the help of this command alone. */
  readonly details?: string
  readonly arguments?: readonly Argument[]
  readonly options?: Options
  /** Options of which at most one may be given. */
  readonly exclusive?: readonly (readonly string[])[]
  readonly examples?: readonly string[]
  readonly commands?: readonly Command[]
  /** Whether it makes a store where there is none. */
  readonly creates?: true
  /** Left out where there are only commands below. What is heavy is imported in here, not above. */
  readonly run?: (context: Context) => Promise<void>
}

export interface Argument {
  /** As it stands in help: `PREFIX`. */
  readonly name: string
  readonly about: string
  readonly isOptional?: true
  /** Takes all that follow; only the last argument can. */
  readonly isMany?: true
  readonly choices?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

export interface Option {
  readonly about: string
  /** One letter. */
  readonly short?: string
  /** Other names for it, which are understood but not shown. */
  readonly aliases?: readonly string[]
  /** What stands for its value in help, as `N` in `--limit N`; an option without it is a flag. */
  readonly value?: string
  readonly isMany?: true
  /** The only values there are. */
  readonly choices?: readonly string[]
  /** What completion offers where the values are not limited to choices. */
  readonly completes?: 'files' | readonly string[]
}

/** A store in memory is nothing to name on a command line. */
const namedForms = storeUrlForms.filter((form) => schemeOf(form)?.sharedBy !== 'process')

/** What every command of every program takes. */
export const globalOptions = {
  store: {
    value: 'URL',
    about: `the store: ${namedForms.join(', ')}`,
    completes: namedForms.map((form) => /^\w+:(\/\/)?/.exec(form)?.[0] ?? form),
  },
  json: { about: 'print one JSON envelope on stdout, errors included' },
  quiet: { about: 'no confirmations or notes; only what was asked for, and errors' },
  help: { short: 'h', about: 'show help' },
  version: { about: 'show the version' },
} as const satisfies Options

/** A command of a program, and the words that lead to it. */
export interface CommandNode {
  readonly path: readonly string[]
  /** None at the program itself. */
  readonly command: Command | null
  readonly commands: readonly Command[]
  readonly options: Options
}

/** The command that goes by a word. */
export const commandNamed = (commands: readonly Command[], word: string): Command | undefined =>
  commands.find(({ name, aliases = [] }) => name === word || aliases.includes(word))

/** All words that a command goes by: `s, start`. */
export const namesOf = ({ name, aliases = [] }: Command): string => [name, ...aliases].join(', ')

export const commandNode = (program: Program, path: readonly string[] = []): CommandNode => {
  let commands = program.commands
  let command: Command | null = null
  for (const word of path) {
    command = commands.find(({ name }) => name === word) as Command
    commands = command.commands ?? []
  }
  return { path, command, commands, options: { ...command?.options, ...globalOptions } }
}

/** A program and everything below it, top first. */
export const commandNodes = (program: Program, path: readonly string[] = []): CommandNode[] => {
  const node = commandNode(program, path)
  return [node, ...node.commands.flatMap(({ name }) => commandNodes(program, [...path, name]))]
}
