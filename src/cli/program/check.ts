import type { Argument, CommandNode, Option, Program } from './command.ts'
import type { CommandLine, Token } from './command-line.ts'
import { UsageError } from './error.ts'
import { didYouMean, typed } from './text.ts'

type OptionToken = Extract<Token, { kind: 'option' }>

/** Throws a UsageError unless the line is one that its command takes. */
export function checkCommandLine(program: Program, line: CommandLine): void {
  const words = line.tokens.filter((token) => token.kind === 'positional')
  // The first mistake is reported: after an unknown word the options are unknown, too.
  for (const token of line.tokens) {
    if (token.kind === 'option') checkOption(program, line, token)
    if (token === words[0]) checkCommand(program, line.node, token.value)
  }
  if (words.length === 0) checkCommand(program, line.node, undefined)
  checkExclusive(program, line)
  checkWords(
    program,
    line.node,
    words.map(({ value }) => value),
  )
}

/** A usage error of one command; its last sentence leads to the help. */
export function usageError(
  program: Program,
  node: CommandNode,
  what: string,
  hint = '',
): UsageError {
  return new UsageError(what, `${hint}See "${nameOf(program, node)} --help".`)
}

/** A command as it is typed: `np g s`. */
export const nameOf = (program: Program, { path }: CommandNode): string =>
  [program.name, ...path].join(' ')

function checkOption(program: Program, { node, args }: CommandLine, token: OptionToken): void {
  const { options } = node
  const option = Object.hasOwn(options, token.name) ? (options[token.name] as Option) : undefined
  if (!option) throw unknownOption(program, node, token, args[token.index] as string)
  const { rawName, value } = token
  const fail = (what: string, hint = '') => usageError(program, node, what, hint)
  if (option.value === undefined && value !== undefined)
    throw fail(`${rawName} takes no value.`, `Leave out "=${typed(value)}". `)
  if (option.value !== undefined && value === undefined)
    throw fail(`${rawName} needs a value.`, `Write ${rawName} ${valueHint(option)}. `)
  if (option.choices && !option.choices.includes(value as string))
    throw fail(
      `${rawName} takes no "${typed(value as string, 80)}".`,
      choicesHint(value as string, option.choices),
    )
}

const valueHint = ({ value, choices }: Option): string => choices?.join('|') ?? (value as string)

const choicesHint = (typed: string, choices: readonly string[]): string =>
  `${didYouMean(typed, choices)}It takes ${choices.join(', ')}. `

function unknownOption(
  program: Program,
  node: CommandNode,
  { rawName }: OptionToken,
  argument: string,
): UsageError {
  const known = Object.keys(node.options).map((name) => `--${name}`)
  // Of `-json` only the first letter became a token; what was typed is the whole.
  const typed = (rawName.startsWith('--') ? rawName : argument).split('=')[0] as string
  const hints = [
    didYouMean(typed, known),
    `Options: ${known.join(', ')}. `,
    node.command === null ? 'Those of a command stand after its name. ' : '',
    node.command?.arguments ? 'Put -- before an argument that starts with a dash. ' : '',
  ]
  const owner = `"${nameOf(program, node)}"`
  return usageError(program, node, `${owner} has no option ${rawName}.`, hints.join(''))
}

/** A line must lead to a command that does something; a word that leads no further must be an argument. */
function checkCommand(program: Program, node: CommandNode, word: string | undefined): void {
  const takesWord = node.commands.length === 0 || node.command?.arguments !== undefined
  if (node.command?.run && (word === undefined || takesWord)) return
  const known = node.commands.map(({ name, aliases = [], about }) => ({ name, aliases, about }))
  const names = known.flatMap(({ name, aliases }) => [name, ...aliases])
  const { what, next } =
    word === undefined
      ? usageError(program, node, 'No command was given.')
      : usageError(
          program,
          node,
          `There is no command "${[...node.path, typed(word, 80)].join(' ')}".`,
          didYouMean(word, names),
        )
  throw new UsageError(what, next, known)
}

function checkExclusive(program: Program, { node, tokens }: CommandLine): void {
  const given = tokens.filter((token) => token.kind === 'option')
  for (const group of node.command?.exclusive ?? []) {
    const both = given.filter(({ name }) => group.includes(name))
    if (new Set(both.map(({ name }) => name)).size < 2) continue
    const typed = [...new Set(both.map(({ rawName }) => rawName))]
    throw usageError(program, node, `${typed.join(' and ')} exclude each other.`, 'Give one. ')
  }
}

function checkWords(program: Program, node: CommandNode, words: readonly string[]): void {
  const wanted = node.command?.arguments ?? []
  const owner = `"${nameOf(program, node)}"`
  const missing = wanted.slice(words.length).find(({ isOptional }) => !isOptional)
  if (missing)
    throw usageError(program, node, `${owner} needs ${missing.name}: ${missing.about}.`, '')
  const extra = wanted.at(-1)?.isMany ? undefined : words[wanted.length]
  if (extra !== undefined)
    throw usageError(program, node, `${owner} takes no argument "${typed(extra, 80)}".`)
  for (const [index, word] of words.entries()) {
    const { choices } = (wanted[index] ?? wanted.at(-1)) as Argument
    if (choices && !choices.includes(word))
      throw usageError(
        program,
        node,
        `${owner} takes no "${typed(word, 80)}".`,
        choicesHint(word, choices),
      )
  }
}
