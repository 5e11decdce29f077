import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { contentBytesMax } from '../content.ts'
import { PermanentError } from '../error.ts'
import type { Json } from '../task.ts'
import type { HandlerContext, TypedHandler } from '../task-type.ts'
import { Captured, Tail } from './captured.ts'
import { ProcessGroup } from './process-group.ts'

/** How commands are run; all of it may be left out. */
export interface CommandOptions {
  /** Whether every failure is tried again, not only those that say so. */
  readonly retryAll?: boolean | undefined
  /** What the command finds in its environment, beside what says which task it is for; that of this process if left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The folder that it starts in; the working directory if left out. */
  readonly cwd?: string | undefined
}

/** How a command says that it may be tried again: EX_TEMPFAIL of sysexits.h. */
const retryCode = 75
/** From here on a shell tells by which signal something was killed. */
const signalCodeMin = 128
/** How long a command may take to end after SIGTERM. */
const graceMs = 5_000
/** The same, with what it takes to see that it has ended. */
const endMs = graceMs + 2_500
/** How long what a command leaves behind may take to end by itself. */
const leftoverMs = 500
const drainMs = 1_000

/**
 * A handler that runs a command of the shell, in a process group of its own, so that any language can work: the input as
 * JSON on stdin, the output on stdout. Exit code 0 completes the task; 75 and being killed fail the attempt, anything
 * else the task. When it is aborted the whole group gets SIGTERM, after 5 seconds SIGKILL; it returns when the group
 * is empty.
 *
 * @example
 * ```js
 * import { commandHandler, Queue, Worker } from 'holdfast/queue'
 * import { openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * const queue = new Queue(store)
 * const worker = new Worker(store, { handlers: [commandHandler('echo', 'cat')] })
 * await worker.start()
 * const { id } = await queue.submit({ type: 'echo', input: 'abc' })
 * console.log((await queue.wait(id)).output) // abc
 * await worker.stop()
 * await queue.close()
 * await store[Symbol.asyncDispose]()
 * ```
 */
export const commandHandler = (
  type: string,
  command: string,
  options: CommandOptions = {},
): TypedHandler => ({
  type,
  endMs,
  run: (input: Json, context) => run(command, input, context, options),
})

async function run(
  command: string,
  input: Json,
  { task, attempt, signal }: HandlerContext,
  { retryAll = false, env = process.env, cwd }: CommandOptions,
): Promise<Json> {
  signal.throwIfAborted()
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: 'pipe',
    cwd,
    env: {
      ...env,
      QO_TASK_ID: task.id,
      QO_ATTEMPT: String(attempt),
      QO_LEASE_ID: task.lease_id ?? '',
    },
  })
  const exit = once(child, 'exit')
  if (child.pid === undefined) return failedToStart(exit)
  const group = new ProcessGroup(child.pid)
  let ending: Promise<void> | undefined
  const end = (ms: number) => {
    ending ??= group.end(ms)
  }
  // Somebody else may have the task already where its lease is lost.
  const onAbort = () => end(isLost(signal) ? 0 : graceMs)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  const stdout = new Captured(child.stdout as Readable, contentBytesMax, () => end(graceMs))
  const stderr = new Tail(child.stderr as Readable)
  feed(child.stdin as Writable, input)
  const [code, killedBy] = (await exit) as [number | null, NodeJS.Signals | null]
  signal.removeEventListener('abort', onAbort)
  const isAborted = signal.aborted
  if (!ending && !(await group.untilEmpty(leftoverMs))) end(graceMs)
  await ending
  const text = await stdout.text(drainMs)
  child.stderr?.destroy()
  // A command that was asked to end has not finished, whatever its exit code.
  if (isAborted) throw signal.reason
  if (stdout.isFlooded)
    throw new PermanentError(`The command wrote more than ${contentBytesMax} bytes to its output.`)
  if (code === 0) return outputOf(text)
  const words = `The command ${howItEnded(code, killedBy)}${stderr.text === '' ? '.' : `: ${stderr.text}`}`
  const isPassing =
    retryAll || code === null || code === retryCode || code >= signalCodeMin || killedBy !== null
  throw isPassing ? new Error(words) : new PermanentError(words)
}

const isLost = ({ reason }: AbortSignal): boolean =>
  reason instanceof Error && reason.cause === 'lost'

async function failedToStart(exit: Promise<unknown>): Promise<never> {
  const why = await exit.then(String, ({ message }: Error) => message)
  throw new Error(`The command could not be started: ${why}`)
}

/** A command need not read its input. */
function feed(stdin: Writable, input: Json): void {
  stdin.on('error', () => {})
  stdin.end(`${JSON.stringify(input)}\n`)
}

/** JSON, or text as it is but for the newline at its end. */
function outputOf(text: string): Json {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return text.replace(/\r?\n$/, '')
  }
}

function howItEnded(code: number | null, killedBy: NodeJS.Signals | null): string {
  if (killedBy !== null) return `was killed by ${killedBy}`
  if (code === null || code <= signalCodeMin) return `exited with ${code}`
  return `exited with ${code} (killed by signal ${code - signalCodeMin})`
}
