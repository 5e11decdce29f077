import { fstatSync, statSync, writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { printableLines } from '../../terminal/index.ts'
import { SettingsError, UsageError } from './error.ts'

/** What a program reads and writes; tests bring their own. */
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  /** Touched only by a command that was asked to read it. */
  readonly stdin: AsyncIterable<Uint8Array | string>
  /** Whether a person types the input. */
  isInputTerminal(): Promise<boolean>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The working directory. Throws a UsageError where it has been deleted; most commands don't care. */
  cwd(): string
}

/** The user's own folder. A relative one would make settings of whatever lies in the working directory. */
export function homeOf({ env }: Io): string {
  const given = env['HOME'] ?? ''
  return given.startsWith('/') ? given : homeInAccount()
}

/** In a container, a process may run as a user that nobody has made an account for. */
function homeInAccount(): string {
  try {
    return userInfo().homedir
  } catch {
    throw new SettingsError('You have no home directory: this user has no account.', 'Set HOME.')
  }
}

interface Sink {
  write(text: string): void
  /** Whether a person sees what is written. */
  isTerminal(): Promise<boolean>
  /** How many columns that person has; null where there is none. */
  columns(): Promise<number | null>
}

/** A sink that makes what is written harmless for a terminal. */
interface GuardedSink extends Sink {
  /** For data that was asked for as it is, and for what the program draws itself. */
  writeUnchanged(text: string): void
}

export interface GuardedIo extends Io {
  readonly stdout: GuardedSink
  readonly stderr: GuardedSink
}

/** The same streams, on which nobody's text can make a terminal do anything, whichever command writes it. */
export const guardedIo = (io: Io): GuardedIo => ({
  stdout: guardedSink(io.stdout),
  stderr: guardedSink(io.stderr),
  get stdin() {
    return io.stdin
  },
  isInputTerminal: () => io.isInputTerminal(),
  env: io.env,
  cwd: () => io.cwd(),
})

const guardedSink = (sink: Sink): GuardedSink => ({
  write: (text) => sink.write(printableLines(text)),
  writeUnchanged: (text) => sink.write(text),
  isTerminal: () => sink.isTerminal(),
  columns: () => sink.columns(),
})

/** Thrown into a command whose output nobody reads any more; it unwinds like any failure, but is none. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

/** The output could not be written, for another reason. What the command did is done. */
export class OutputFailed extends Error {
  override readonly name = 'OutputFailed'
}

/** The streams of this process. */
export const processIo = (): Io => ({
  stdout: {
    write: (text) => writeAll(1, text),
    isTerminal: () => isTerminal(1),
    columns: () => columnsOf(1),
  },
  stderr: { write: writeError, isTerminal: () => isTerminal(2), columns: () => columnsOf(2) },
  get stdin() {
    return process.stdin
  },
  isInputTerminal: () => isTerminal(0),
  env: process.env,
  cwd: workingDirectory,
})

function workingDirectory(): string {
  try {
    return process.cwd()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isGone = code === 'ENOENT'
    throw new UsageError(
      isGone
        ? 'The working directory is gone.'
        : `The working directory can't be used: ${message}.`,
      'Change to another one.',
    )
  }
}

const pauseMs = 5

/**
 * Writes straight to the descriptor: making `process.stdout` takes a tenth of the time that Node takes to
 * start. Throws `ReaderGone` where the reader left, as in `ut ls | head -1`, so that a command stops early
 * but still cleans up.
 */
function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') throw new ReaderGone('Nobody reads the output.')
      if (code !== 'EAGAIN') throw new OutputFailed((error as Error).message)
      // Another process made the pipe non-blocking, so we wait for its reader ourselves.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
}

/** Where nobody reads about failures either, the exit code is all there is to say. */
function writeError(text: string): void {
  try {
    writeAll(2, text)
  } catch {}
}

/** Looks first at what costs nothing: asking for sure means loading a module that most runs do without. */
async function isTerminal(descriptor: number): Promise<boolean> {
  const stats = fstatSync(descriptor)
  if (!stats.isCharacterDevice()) return false
  const nowhere = statSync('/dev/null', { throwIfNoEntry: false })
  if (nowhere?.rdev === stats.rdev) return false
  const { isatty } = await import('node:tty')
  return isatty(descriptor)
}

/** Of a terminal that does not tell. */
const columnsDefault = 80

async function columnsOf(descriptor: 1 | 2): Promise<number | null> {
  if (!(await isTerminal(descriptor))) return null
  return (descriptor === 1 ? process.stdout : process.stderr).columns || columnsDefault
}

/** Where the user's own settings are: in `$XDG_CONFIG_HOME`; a relative one counts as unset, as the standard says. */
export function userFolder(io: Io): string {
  const given = io.env['XDG_CONFIG_HOME'] ?? ''
  return join(given.startsWith('/') ? given : join(homeOf(io), '.config'), 'holdfast')
}

/** By a person, by a system, and by the end of a terminal. */
const shutdownSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Waits for the process to be asked to end. Asked twice, it ends at once, after what must be done even then. */
export class ShutdownSignal implements Disposable {
  /** Resolves with the signal by which it was asked. */
  readonly received: Promise<string>
  readonly #listener: (signal: string) => void
  readonly #beforeForcedExit: () => void

  constructor(beforeForcedExit: () => void = () => {}) {
    this.#beforeForcedExit = beforeForcedExit
    let ask: (signal: string) => void = () => {}
    this.received = new Promise((resolve) => {
      ask = resolve
    })
    let isAsked = false
    this.#listener = (signal) => {
      if (isAsked) {
        beforeForcedExit()
        process.exit(1)
      }
      isAsked = true
      ask(signal)
    }
    for (const signal of shutdownSignals) process.on(signal, this.#listener)
  }

  /** Ends the process in good order, whatever goes on in it. */
  exit(): never {
    this.#beforeForcedExit()
    process.exit(0)
  }

  [Symbol.dispose](): void {
    for (const signal of shutdownSignals) process.off(signal, this.#listener)
  }
}
