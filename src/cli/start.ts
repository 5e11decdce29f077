import type { Program } from './program/command.ts'
import { processIo, ReaderGone } from './program/io.ts'
import { runProgram } from './program/main.ts'

/**
 * The edge of every program: runs it on the arguments and streams of this process. The exit code is set
 * rather than the process ended, so that output still in a pipe gets out.
 */
export async function start(program: Program): Promise<void> {
  const io = processIo()
  try {
    process.exitCode = await runProgram(program, process.argv.slice(2), io)
  } catch (error) {
    // Only the failure of telling about a failure comes here.
    if (error instanceof ReaderGone) return
    process.exitCode = 1
    io.stderr.write(
      `${program.name}: The output could not be written: ${(error as Error).message}.\n`,
    )
  }
}
