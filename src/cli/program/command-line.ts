import { parseArgs } from 'node:util'
import {
  type CommandNode,
  commandNamed,
  commandNode,
  type Options,
  type Program,
} from './command.ts'

/** A piece of a command line, as `parseArgs` cuts it. */
export type Token =
  | {
      readonly kind: 'option'
      readonly index: number
      readonly name: string
      /** As it was typed, without its value: `-t`, `--tag`. */
      readonly rawName: string
      readonly value: string | undefined
      /** Whether the value stands in the same argument. */
      readonly inlineValue: boolean | undefined
    }
  | { readonly kind: 'positional'; readonly index: number; readonly value: string }
  | { readonly kind: 'option-terminator'; readonly index: number }

/** A command line that was cut into pieces and led to a command, but not checked yet. */
export interface CommandLine {
  readonly node: CommandNode
  /** Without the words that lead to the command; tokens point into these. */
  readonly args: readonly string[]
  readonly tokens: readonly Token[]
}

/**
 * Finds the command that a line means. Never fails: whoever checks the line must also know what it said of
 * `--json`, wherever that stands.
 */
export function readCommandLine(program: Program, given: readonly string[]): CommandLine {
  const args = [...given]
  let node = commandNode(program)
  for (;;) {
    const tokens = tokensOf(args, node.options)
    const word = tokens.find(({ kind }) => kind !== 'option')
    const command =
      word?.kind === 'positional' ? commandNamed(node.commands, word.value) : undefined
    if (!word || !command) return { node, args, tokens }
    args.splice(word.index, 1)
    node = commandNode(program, [...node.path, command.name])
  }
}

/**
 * Whether a flag stands in a line, whatever else is wrong with it. A letter must stand alone: `-shopping`
 * has an `h` in it, but is no wish for help.
 */
export const hasFlag = ({ args, tokens }: CommandLine, name: string): boolean =>
  tokens.some(
    (token) =>
      token.kind === 'option' &&
      token.name === name &&
      (token.rawName.startsWith('--') || args[token.index] === token.rawName),
  )

/**
 * Not strict: then an option takes the next argument as its value even if that starts with a dash, as in
 * `-t -b`, and what is wrong is said in our own words (`check.ts`).
 */
function tokensOf(args: readonly string[], options: Options): readonly Token[] {
  const config = Object.entries(options).flatMap(([name, { value, short, aliases = [] }]) => {
    const type = value === undefined ? 'boolean' : 'string'
    return [[name, { type, ...(short && { short }) }], ...aliases.map((alias) => [alias, { type }])]
  })
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(config),
    strict: false,
    tokens: true,
  })
  return tokens.map((token) => underItsName(withoutEquals(token), options))
}

/** An option that was given by another of its names. */
function underItsName(token: Token, options: Options): Token {
  if (token.kind !== 'option' || Object.hasOwn(options, token.name)) return token
  const [name] =
    Object.entries(options).find(([, { aliases }]) => aliases?.includes(token.name)) ?? []
  return name === undefined ? token : { ...token, name }
}

/** `-t=work` means what `--tag=work` does. */
const withoutEquals = (token: Token): Token =>
  token.kind === 'option' &&
  token.inlineValue === true &&
  /^-[^-]$/.test(token.rawName) &&
  token.value?.startsWith('=')
    ? { ...token, value: token.value.slice(1) }
    : token

/** An option as it was given. */
interface GivenOption {
  readonly name: string
  /** Its name as it was typed: `-t`, `--tag`. */
  readonly typed: string
  /** Empty for a flag. */
  readonly value: string
}

/** What a command was given, checked against its table. */
export class Arguments {
  /** What is no option, in order. */
  readonly words: readonly string[]
  /** All options in the order they were given. */
  readonly ordered: readonly GivenOption[]

  constructor(tokens: readonly Token[]) {
    this.words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
    this.ordered = tokens.flatMap((token) =>
      token.kind === 'option'
        ? [{ name: token.name, typed: token.rawName, value: token.value ?? '' }]
        : [],
    )
  }

  has(name: string): boolean {
    return this.ordered.some((option) => option.name === name)
  }

  /** The value of an option; the last one where it was given more than once. */
  value(name: string): string | undefined {
    return this.values(name).at(-1)
  }

  values(name: string): string[] {
    return this.ordered.filter((option) => option.name === name).map(({ value }) => value)
  }
}
