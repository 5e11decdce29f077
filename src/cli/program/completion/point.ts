import { type Option, type Place, type Program, placesOf } from '../command.ts'

/** A command as a completion script knows it. The scripts walk the words of a line from point to point. */
export interface Point {
  /** Its words, the program first, joined by spaces. */
  readonly name: string
  readonly commands: readonly {
    readonly name: string
    readonly aliases: readonly string[]
    readonly about: string
  }[]
  readonly options: readonly Choice[]
  /** What its arguments can be, where they are limited. */
  readonly words: readonly string[]
}

/** An option, under every name it has. */
export interface Choice {
  readonly name: string
  /** `--tag`, and `-t` where there is a letter. */
  readonly flags: readonly string[]
  readonly about: string
  readonly short: string | undefined
  readonly takesValue: boolean
  readonly values: readonly string[]
  readonly takesFile: boolean
}

export const pointsOf = (program: Program): Point[] =>
  placesOf(program).map((place) => pointOf(program, place))

function pointOf(program: Program, { path, command, commands, options }: Place): Point {
  return {
    name: [program.name, ...path].join(' '),
    commands: commands.map(({ name, aliases = [], about }) => ({ name, aliases, about })),
    options: Object.entries(options).map(([name, option]) => choiceOf(name, option)),
    words: command?.arguments?.flatMap(({ choices = [] }) => choices) ?? [],
  }
}

function choiceOf(name: string, { short, about, value, choices, completes }: Option): Choice {
  return {
    name,
    flags: [`--${name}`, ...(short ? [`-${short}`] : [])],
    about,
    short,
    takesValue: value !== undefined,
    values: choices ?? (typeof completes === 'object' ? completes : []),
    takesFile: completes === 'files',
  }
}

/**
 * The cases by which bash and zsh walk along the words of a line: one that names a command leads there, and
 * after an option that takes a value the next word is that value.
 */
export function steps({ name, commands, options }: Point): string[] {
  const below = commands.map((command) => {
    const words = [command.name, ...command.aliases].map((word) => `'${name} ${word}'`)
    return `      (${words.join('|')}) at='${name} ${command.name}' ;;`
  })
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags)
  const taking = flags.map((flag) => `'${name} ${flag}'`).join('|')
  return [...below, `      (${taking}) pending="$at $word" ;;`]
}

/** The cases of options whose values can be offered. */
export const valueCases = ({ name, options }: Point, reply: (option: Choice) => string): string[] =>
  options
    .filter(({ values, takesFile }) => values.length > 0 || takesFile)
    .map((option) => {
      const pattern = option.flags.map((flag) => `'${name} ${flag}'`).join('|')
      return `    (${pattern}) ${reply(option)}; return ;;`
    })

/** Values that only begin, such as `sqlite:`; no space is put after them. */
export const areBeginnings = ({ values }: Choice): boolean =>
  values.some((value) => /[:/]$/.test(value))

/** A text between single quotes, for shells that join neighbouring strings. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
