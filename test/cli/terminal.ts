import type { Program } from '../../src/cli/program/command.ts'
import type { Io } from '../../src/cli/program/io.ts'
import { runProgram } from '../../src/cli/program/main.ts'

export interface Setting {
  /** What was typed; or what is typed when it is asked for. */
  readonly stdin?: string | Uint8Array | AsyncIterable<string>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly isTerminal?: boolean
  /** Of the terminal, if it is one. */
  readonly columns?: number
}

export interface Outcome {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program within this process, on streams that the test brings. */
export async function run(
  program: Program,
  args: readonly string[],
  { stdin, env = {}, cwd = '/nonexistent', isTerminal = false, columns = 80 }: Setting = {},
): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
    isTerminal: async () => isTerminal,
    columns: async () => (isTerminal ? columns : null),
  })
  const io: Io = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    get stdin() {
      if (stdin === undefined) throw new Error('stdin was touched')
      const isThere = typeof stdin === 'string' || stdin instanceof Uint8Array
      return isThere ? chunksOf(stdin) : stdin
    },
    isInputTerminal: async () => isTerminal,
    env: { HOME: '/nonexistent', ...env },
    cwd: () => cwd,
  }
  return { exit: await runProgram(program, args, io), ...written }
}

/** In pieces that cut through characters. */
async function* chunksOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  const size = Math.max(3, Math.ceil(bytes.length / 100))
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
