import { withoutSecrets } from '../../store/internal.ts'
import { oneLine, printableJson } from '../../terminal/index.ts'
import type { Program } from './command.ts'
import type { Context } from './context.ts'
import type { Failure } from './failure.ts'
import type { GuardedIo } from './io.ts'

/** What a command has to say, for a program and for a person. */
export interface Answer {
  /** A noun: `task`, `task.list`. */
  readonly kind: string
  readonly data: unknown
  /** Of a list: how many there are, where not all of them are shown. */
  readonly total?: number
  /** How many of them are; the length of `data` unless the list is only a part of it. */
  readonly shown?: number
  /** Given where a change found everything as asked already; the lines say so, too. */
  readonly changed?: false
  /** What to do next, where the answer is not the end of it. */
  readonly next?: string
  /** What was refused while the rest went through. */
  readonly refused?: readonly Failure[]
  /** The same for a person, line by line. */
  readonly lines: readonly string[]
  /** Whether the lines are a document that was asked for, to be written as it is. */
  readonly isDocument?: true
}

const envelopeVersion = 1

/**
 * Where everything that a program says goes. With `--json` stdout gets one envelope and nothing else;
 * notes, warnings and a person's errors are stderr's.
 */
export class Output {
  readonly #program: Program
  readonly #io: GuardedIo
  readonly #isJson: boolean
  readonly #isQuiet: boolean

  constructor(program: Program, io: GuardedIo, { isJson = false, isQuiet = false } = {}) {
    this.#program = program
    this.#io = io
    this.#isJson = isJson
    this.#isQuiet = isQuiet
  }

  get isJson(): boolean {
    return this.#isJson
  }

  /** Whether a person sees the answer as it comes. */
  async isForEyes(): Promise<boolean> {
    return !this.#isJson && (await this.#io.stdout.isTerminal())
  }

  /** How many columns a person sees; null where a program reads, for which nothing is cut. */
  async columns(): Promise<number | null> {
    return this.#isJson ? null : this.#io.stdout.columns()
  }

  /** A line of an answer that comes bit by bit; with `--json` only the whole is printed, by `answer`. */
  say(line: string): void {
    if (!this.#isJson) this.#io.stdout.write(`${line}\n`)
  }

  /** What was asked for. A list that is cut says so. */
  answer({
    kind,
    data,
    total,
    changed,
    next,
    lines,
    isDocument,
    refused = [],
    ...counted
  }: Answer) {
    const shown = counted.shown ?? (Array.isArray(data) ? data.length : undefined)
    const counts = shown === undefined ? {} : { total: total ?? shown, shown }
    const errors = refused.map(({ code, message, next }) => ({ code, message, next }))
    const also = errors.length === 0 ? {} : { errors }
    if (this.#isJson) this.#envelope({ kind, data, ...counts, changed, next, ...also })
    else if (lines.length > 0) {
      const text = `${lines.join('\n')}\n`
      if (isDocument) this.#io.stdout.writeUnchanged(text)
      else this.#io.stdout.write(text)
    }
    const isCut = total !== undefined && shown !== undefined && shown < total
    if (isCut && !this.#isQuiet) this.#io.stderr.write(`${shown} of ${total}\n`)
  }

  /** What was changed: left out with --quiet, unless --json asks for an envelope. */
  confirm(answer: Answer): void {
    if (this.#isJson || !this.#isQuiet) this.answer(answer)
  }

  /** Something worth knowing that is neither the answer nor wrong. */
  note(text: string): void {
    if (!this.#isQuiet) this.#say(text)
  }

  warn(text: string): void {
    this.#say(`warning: ${text}`)
  }

  fail(failure: Failure): void {
    const { code, candidates, count, claimed_by, commands, lines = [] } = failure
    // What was typed is quoted, and may be a URL with a password in the wrong place.
    const message = withoutSecrets(failure.message)
    const next = failure.next === null ? null : withoutSecrets(failure.next)
    if (this.#isJson) {
      const error = { code, message, next, candidates, count, claimed_by, commands }
      this.#envelope({ kind: 'error', error })
      return
    }
    const { name, errorLabel = name } = this.#program
    this.#say(next === null ? message : `${asSentence(message)} ${next}`, errorLabel)
    for (const line of lines) this.#io.stderr.write(`  ${withoutSecrets(line)}\n`)
  }

  #say(text: string, label = this.#program.name): void {
    this.#io.stderr.write(`${label}: ${oneLine(withoutSecrets(text))}\n`)
  }

  #envelope(content: Readonly<Record<string, unknown>>): void {
    this.#io.stdout.write(`${printableJson({ v: envelopeVersion, ...content })}\n`)
  }
}

/** Some models' messages are no sentences, until another one follows. */
const asSentence = (message: string): string => (/[.!?…]$/.test(message) ? message : `${message}.`)

const barColumns = 24
const drawMsMin = 100
/** What takes less time needs no word. */
const silentMs = 300

/**
 * How far something long is, in one line that is drawn over and over on a terminal. Wherever nobody watches,
 * nothing is drawn.
 */
export class Progress implements Disposable {
  readonly #write: ((text: string) => void) | null
  readonly #what: string
  /** When it may be drawn next, by `performance.now()`. */
  #nextAt = performance.now() + silentMs
  #isDrawn = false

  private constructor(what: string, write: ((text: string) => void) | null) {
    this.#what = what
    this.#write = write
  }

  static async of({ out, io, args }: Context, what: string): Promise<Progress> {
    const isWatched = !out.isJson && !args.has('quiet') && (await io.stderr.isTerminal())
    return new Progress(what, isWatched ? (text) => io.stderr.writeUnchanged(text) : null)
  }

  /** `total` is null where nobody knows. */
  at(count: number, total: number | null = null): void {
    const now = performance.now()
    if (!this.#write || now < this.#nextAt) return
    this.#nextAt = now + drawMsMin
    this.#isDrawn = true
    this.#write(`\r${this.#what} ${progressText(count, total)}\x1b[K`)
  }

  /** Leaves the line empty, for whatever comes next. */
  wipe(): void {
    if (this.#isDrawn) this.#write?.('\r\x1b[K')
    this.#isDrawn = false
  }

  [Symbol.dispose](): void {
    this.wipe()
  }
}

const groupedDigits = (count: number): string => count.toLocaleString('en-US')

/** `[=====>      ] 1,200 of 4,000`, or only the count where the total is not known. */
export function progressText(count: number, total: number | null): string {
  if (total === null || total <= 0) return groupedDigits(count)
  const filled = Math.floor((Math.min(count, total) / total) * barColumns)
  const head = filled < barColumns ? '>' : ''
  const bar = ('='.repeat(filled) + head).padEnd(barColumns)
  return `[${bar}] ${groupedDigits(count)} of ${groupedDigits(total)}`
}
