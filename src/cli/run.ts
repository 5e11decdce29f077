import { inspect } from 'node:util'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { flushed, guardOutput, ReaderGone } from './output.ts'

/**
 * The edge of every program: runs its main, and turns whatever it throws into one line on stderr and an
 * exit code. The code is set rather than the process ended, so that output still in a pipe gets out.
 */
export async function run(
  program: string,
  main: (args: readonly string[]) => Promise<number>,
): Promise<void> {
  guardOutput()
  try {
    process.exitCode = await main(process.argv.slice(2))
    await flushed()
  } catch (error) {
    process.exitCode = error instanceof ReaderGone ? exitCodes.ok : exitCodeOf(error)
    if (!(error instanceof ReaderGone)) process.stderr.write(`${program}: ${described(error)}\n`)
  }
}

/** One line; with HOLDFAST_DEBUG set, the stack and the causes as well. */
function described(error: unknown): string {
  if (process.env['HOLDFAST_DEBUG']) return inspect(error)
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll(/\s*\n\s*/g, ' ')
}
