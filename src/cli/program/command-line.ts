import { parseArgs } from 'node:util'
import { commandNamed, type Options, type Place, type Program, placeOf } from './command.ts'

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
  readonly place: Place
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
  let place = placeOf(program)
  for (;;) {
    const tokens = tokensOf(args, place.options)
    const word = tokens.find(({ kind }) => kind !== 'option')
    const command =
      word?.kind === 'positional' ? commandNamed(place.commands, word.value) : undefined
    if (!word || !command) return { place, args, tokens }
    args.splice(word.index, 1)
    place = placeOf(program, [...place.path, command.name])
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
