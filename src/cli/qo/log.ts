import { withoutSecrets } from '../../store/internal.ts'
import { oneLine, printableJson } from '../../terminal/index.ts'
import type { Context } from '../program/context.ts'
import { ReaderGone } from '../program/io.ts'
import { wordOf } from '../program/option-value.ts'
import { shortId, timeOfDay } from './row.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

/** What is worth knowing beside the message, for programs. */
type Fields = Readonly<Record<string, unknown>>

const envelopeVersion = 1

/**
 * What a worker or monitor says while it runs: lines for a person on stderr, or with `--json` an envelope a line on
 * stdout. `HOLDFAST_LOG` is the least level that is logged.
 */
export class Log {
  readonly #context: Context
  readonly #least: number
  readonly #isTerminal: boolean
  #leave: () => void = () => {}
  /** Settles when nobody reads it any more. */
  readonly readerGone = new Promise<void>((resolve) => {
    this.#leave = resolve
  })

  private constructor(context: Context, isTerminal: boolean) {
    this.#context = context
    this.#isTerminal = isTerminal
    const given = wordOf(context, { option: 'log', variable: 'HOLDFAST_LOG' }, levels) ?? 'info'
    const least = context.args.has('quiet') ? ('warn' as const) : 'trace'
    this.#least = Math.max(levels.indexOf(given), levels.indexOf(least))
  }

  static async of(context: Context): Promise<Log> {
    return new Log(context, await context.io.stderr.isTerminal())
  }

  /** An id as a line has room for it: whole, but on a terminal. */
  shown(id: string): string {
    return this.#isTerminal && !this.#context.out.isJson ? shortId(id) : id
  }

  debug(message: string, fields?: Fields): void {
    this.#write('debug', message, fields)
  }

  info(message: string, fields?: Fields): void {
    this.#write('info', message, fields)
  }

  warn(message: string, fields?: Fields): void {
    this.#write('warn', message, fields)
  }

  error(message: string, fields?: Fields): void {
    this.#write('error', message, fields)
  }

  #write(level: Level, words: string, fields: Fields = {}): void {
    if (levels.indexOf(level) < this.#least) return
    const message = withoutSecrets(words)
    const { out, io } = this.#context
    const at = new Date().toISOString()
    if (!out.isJson) {
      const time = this.#isTerminal ? timeOfDay(at) : at
      io.stderr.write(`${time} ${level.padEnd(5)} ${oneLine(message)}\n`)
      return
    }
    const data = { at, level, message, ...withoutSecretsIn(fields) }
    try {
      io.stdout.write(`${printableJson({ v: envelopeVersion, kind: 'log', data })}\n`)
    } catch (error) {
      // The caller is busy with other things, and has no use for it.
      if (!(error instanceof ReaderGone)) throw error
      this.#leave()
    }
  }
}

/** A handler's error may quote the URL of the store as much as a message. */
const withoutSecretsIn = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutSecrets(value) : value,
    ]),
  )
