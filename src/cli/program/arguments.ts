import type { Token } from './command-line.ts'

/** An option as it was given. */
export interface Given {
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
  readonly ordered: readonly Given[]

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
