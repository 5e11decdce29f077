import type { Context } from '../program/context.ts'
import { exitCodes } from '../program/exit-code.ts'
import { oneLine } from '../program/printable.ts'

export const yesOption = { yes: { short: 'y', about: 'do not ask, also on a terminal' } } as const

/** Whether to go on: asks where a person would see it, and nowhere else. */
export async function isConfirmed(
  context: Context,
  question: () => Promise<string>,
): Promise<boolean> {
  const { args, out, io } = context
  if (args.has('yes') || !(await out.isForEyes()) || !(await io.isInputTerminal())) return true
  io.stdout.write(`${oneLine(await question())} [y/N] `)
  if (/^\s*y(es)?\s*$/i.test(await firstLine(io.stdin))) return true
  out.note('Nothing was deleted.')
  context.exitCode = exitCodes.refused
  return false
}

async function firstLine(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] as string
}
