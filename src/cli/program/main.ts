import { withoutSecrets } from '../../store/internal.ts'
import { checkCommandLine } from './check.ts'
import type { CommandNode, Program } from './command.ts'
import { Arguments, type CommandLine, hasFlag, readCommandLine } from './command-line.ts'
import { Context } from './context.ts'
import { type GuardedIo, guardedIo, type Io, OutputFailed, ReaderGone } from './io.ts'
import { Output } from './output.ts'

/** Runs one command of a program; answers with the exit code. Throws nothing but failures of its output. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  given: Io,
): Promise<number> {
  const io = guardedIo(given)
  const line = readCommandLine(program, args)
  const out = new Output(program, io, {
    isJson: hasFlag(line, 'json'),
    isQuiet: hasFlag(line, 'quiet'),
  })
  try {
    return await runLine(program, line, out, io)
  } catch (thrown) {
    if (thrown instanceof ReaderGone) return 0
    if (thrown instanceof OutputFailed) throw thrown
    return fail(thrown, program, out, io)
  }
}

async function runLine(
  program: Program,
  line: CommandLine,
  out: Output,
  io: GuardedIo,
): Promise<number> {
  const helped = hasFlag(line, 'help') ? line : askedForHelp(program, line)
  if (helped) return showHelp(program, helped.node, out)
  if (hasFlag(line, 'version')) return showVersion(out)
  const { node, args, tokens } = isBare(program, line)
    ? readCommandLine(program, [...program.bare!.words, ...line.args])
    : line
  checkCommandLine(program, { node, args, tokens })
  const context = new Context(program, node, { args: new Arguments(tokens), out, io })
  await node.command!.run!(context)
  return context.exitCode
}

/** `ut help ls` means `ut ls --help`. */
function askedForHelp(program: Program, { node, args, tokens }: CommandLine): CommandLine | null {
  const word = tokens.find((token) => token.kind === 'positional')
  if (node.command !== null || word?.value !== 'help') return null
  const line = readCommandLine(program, args.toSpliced(word.index, 1))
  // A word that leads to no command fails as if it had been typed alone.
  if (line.tokens.some((token) => token.kind === 'positional')) checkCommandLine(program, line)
  return line
}

/** Nothing but options that every command takes. */
const isBare = ({ bare }: Program, { node, tokens }: CommandLine): boolean =>
  bare !== undefined &&
  node.command === null &&
  tokens.every((token) => token.kind === 'option' && Object.hasOwn(node.options, token.name))

async function showHelp(program: Program, node: CommandNode, out: Output): Promise<number> {
  const { helpOf } = await import('./help.ts')
  const text = helpOf(program, node)
  out.answer({ kind: 'help', data: { text }, lines: [text] })
  return 0
}

async function showVersion(out: Output): Promise<number> {
  const { version } = await import('../package.ts')
  out.answer({ kind: 'version', data: { version: version() }, lines: [version()] })
  return 0
}

/** One line for a person, with HOLDFAST_DEBUG set the stack and the causes as well; or an envelope. */
async function fail(
  thrown: unknown,
  program: Program,
  out: Output,
  io: GuardedIo,
): Promise<number> {
  const { failureOf } = await import('./failure.ts')
  const failure = failureOf(thrown, program)
  out.fail(failure)
  if (io.env['HOLDFAST_DEBUG']) {
    const { inspect } = await import('node:util')
    io.stderr.write(`${withoutSecrets(inspect(thrown))}\n`)
  }
  return failure.exit
}
