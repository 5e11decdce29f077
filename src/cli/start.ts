import { oneLine, printableLines } from '../terminal/index.ts'
import type { Program } from './program/command.ts'
import { processIo, ReaderGone } from './program/io.ts'
import { runProgram } from './program/main.ts'

/** How long to wait for what a driver may have left open, such as a connection that nobody answers. */
const lingerMs = 20

/**
 * The edge of every program: runs it on the arguments and streams of this process. It ends by itself once
 * nothing is left to do; all output has got out by then.
 */
export async function start(program: Program): Promise<void> {
  const io = processIo()
  process.prependListener('warning', makeHarmless)
  try {
    process.exitCode = await runProgram(program, process.argv.slice(2), io)
  } catch (error) {
    // Only the failure of telling about a failure comes here.
    if (!(error instanceof ReaderGone)) {
      process.exitCode = 1
      const { name, errorLabel = name } = program
      io.stderr.write(`${errorLabel}: ${oneLine(unwritten(error))}\n`)
    }
  }
  setTimeout(() => process.exit(), lingerMs).unref()
}

/** Node itself prints warnings, also those of handlers and packages, and these may quote what somebody else wrote. */
function makeHarmless(warning: Error & { detail?: unknown }): void {
  warning.message = oneLine(warning.message)
  if (warning.stack !== undefined) warning.stack = printableLines(warning.stack)
  if (typeof warning.detail === 'string') warning.detail = printableLines(warning.detail)
}

/** Whatever the command had to do was done before it told of it. */
const unwritten = (error: unknown): string =>
  `The output could not be written (${(error as Error).message}); what was asked for may have been done.`
