import type { AccessLogOptions } from '../../http/index.ts'
import type { Context } from './context.ts'
import { oneLine, printableJson } from './printable.ts'
import { wordIn } from './setting-value.ts'

/** What a server logs while it runs. */
export interface ServeLog {
  /** A line for the operator. */
  readonly log: (line: string) => void
  readonly warn: (line: string) => void
  readonly accessLog: AccessLogOptions
}

const formats = ['text', 'json'] as const

/** Text for a person. With JSON every line is an object, notes included. */
export async function serveLogOf(context: Context): Promise<ServeLog> {
  const { out, io, args, program } = context
  const format = wordIn(context, await context.setting('log'), formats) ?? 'text'
  const tell = (entry: string | object) =>
    io.stderr.write(`${typeof entry === 'string' ? oneLine(entry) : printableJson(entry)}\n`)
  const accessLog = { format, program: program.name, write: tell }
  if (format === 'text')
    return { log: (line) => out.note(line), warn: (line) => out.warn(line), accessLog }
  const say = (event: string) => (message: string) =>
    tell({ time: new Date().toISOString(), event, message })
  return { log: args.has('quiet') ? () => {} : say('note'), warn: say('warning'), accessLog }
}
