import { nameOf } from './check.ts'
import {
  type Argument,
  type Command,
  type CommandNode,
  globalOptions,
  namesOf,
  type Option,
  type Options,
  type Program,
} from './command.ts'

const width = 80
/** Where the right column starts at most; what is longer on the left has a line to itself. */
const leftMax = 26

/** The help of a program or of one of its commands. */
export const helpOf = (program: Program, node: CommandNode): string =>
  (node.command ? commandHelp(program, node, node.command) : programHelp(program, node)).join(
    '\n\n',
  )

function programHelp(program: Program, node: CommandNode): string[] {
  const { name, about, bare, examples } = program
  return [
    wrapped(`${name}: ${about}`),
    [
      `Usage: ${name} ${bare ? '[COMMAND]' : 'COMMAND'} [ARGUMENT]… [OPTION]…`,
      ...(bare ? [`       ${name} alone ${bare.about}.`] : []),
    ].join('\n'),
    section('Commands', commandRows(node.commands)),
    section('Options of every command', optionRows(globalOptions)),
    ...examplesOf(examples),
    `"${name} COMMAND --help" says more about a command.`,
  ]
}

function commandHelp(program: Program, node: CommandNode, command: Command): string[] {
  const { about, details, arguments: words = [], options = {}, examples } = command
  const name = nameOf(program, node)
  const sections = [
    { title: 'Commands', rows: commandRows(node.commands) },
    { title: 'Arguments', rows: words.map((word) => [shape(word), word.about] as const) },
    { title: 'Options', rows: optionRows(options) },
    { title: 'Options of every command', rows: optionRows(globalOptions) },
  ]
  return [
    wrapped(`${name}: ${about}.`),
    `Usage: ${usageOf(name, command)}`,
    ...(details ? [wrapped(details)] : []),
    ...sections
      .filter(({ rows }) => rows.length > 0)
      .map(({ title, rows }) => section(title, rows)),
    ...examplesOf(examples),
  ]
}

/** `ut edit PREFIX [OPTION]…`; a command with commands below it may stand alone only if it does something. */
function usageOf(name: string, { arguments: words = [], options, commands, run }: Command): string {
  const below = run ? '[COMMAND]' : 'COMMAND'
  const parts = [name, ...(commands ? [below] : []), ...words.map(shape)]
  return [...parts, ...(options ? ['[OPTION]…'] : [])].join(' ')
}

const shape = ({ name, isMany, isOptional }: Argument): string => {
  const many = isMany ? `${name}…` : name
  return isOptional ? `[${many}]` : many
}

type Row = readonly [left: string, right: string]

const commandRows = (commands: readonly Command[]): Row[] =>
  commands.map((command) => [
    [namesOf(command), ...(command.arguments ?? []).map(shape)].join(' '),
    command.about,
  ])

const optionRows = (options: Options): Row[] =>
  Object.entries(options).map(([name, option]) => [optionShape(name, option), option.about])

function optionShape(name: string, { short, value, isMany, choices }: Option): string {
  const names = short ? `-${short}, --${name}` : `--${name}`
  if (value === undefined) return names
  return `${names} ${choices?.join('|') ?? value}${isMany ? ' …' : ''}`
}

function section(title: string, rows: readonly Row[]): string {
  const longest = Math.max(
    ...rows.map(([left]) => left.length).filter((each) => each <= leftMax),
    0,
  )
  const column = longest + 4
  const lines = rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrapped(right, width - column).split('\n')
    const indented = more.map((line) => ' '.repeat(column) + line)
    return left.length > longest
      ? [`  ${left}`, ' '.repeat(column) + first, ...indented]
      : [`  ${left.padEnd(column - 2)}${first}`, ...indented]
  })
  return [`${title}:`, ...lines].join('\n')
}

const examplesOf = (examples: readonly string[] = []): string[] =>
  examples.length === 0 ? [] : [['Examples:', ...examples.map((line) => `  ${line}`)].join('\n')]

function wrapped(text: string, columns = width): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
