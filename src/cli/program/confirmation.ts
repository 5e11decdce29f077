import type { Context } from './context.ts'
import { exitCodes } from './exit-code.ts'
import { oneLine } from './printable.ts'

export const yesOption = { yes: { short: 'y', about: 'do not ask, also on a terminal' } } as const

/** What is asked, and what is said where the answer is no. */
export interface Question {
  /** What to read before answering, a line each. */
  readonly lines?: readonly string[]
  readonly question: string
  readonly declined: string
}

/** Whether to go on: asks where a person would see it, and nowhere else. */
export async function isConfirmed(
  context: Context,
  asked: () => Promise<Question>,
): Promise<boolean> {
  const { out, io } = context
  if (!(await isAsked(context))) return true
  const { lines = [], question, declined } = await asked()
  for (const line of lines) io.stdout.write(`${line}\n`)
  io.stdout.write(`${oneLine(question)} [y/N] `)
  if (/^\s*y(es)?\s*$/i.test(await firstLine(io.stdin))) return true
  out.note(declined)
  context.exitCode = exitCodes.refused
  return false
}

/** Whether a person is there to answer. */
export const isAsked = async ({ args, out, io }: Context): Promise<boolean> =>
  !args.has('yes') && (await out.isForEyes()) && (await io.isInputTerminal())

async function firstLine(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] as string
}
