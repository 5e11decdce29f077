import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSoak } from '../size.ts'
import { placeOfData } from './place.ts'
import { isPortTaken } from './port.ts'
import type { SmallDisk } from './small-disk.ts'

const readyMsMax = 60_000
const stopMsMax = 10_000
const pollMs = 25
const logBytesShown = 4_000
const startsMax = 3

/** `[command, ...arguments]`, as scripts/fetch/paths.mjs finds them; null where it was not fetched. */
export type Start = readonly [command: string, ...args: string[]] | null

export interface Launch {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface DataOptions {
  /** Its data is on disk, wherever that of other servers is. */
  readonly onDisk?: boolean
}

export interface ServerOptions extends DataOptions {
  /**
   * A server written in Go runs on one processor, but in a soak. On more, its threads hand work to each other, which costs
   * a tenth of what it does for small requests, in a cluster a fifth.
   */
  readonly oneProcessor?: boolean
  /** Where its data lies, instead of in its folder: for who wants that full. */
  readonly disk?: SmallDisk | undefined
}

/**
 * A real server on loopback, with its data and its log in a folder of its own, both gone when it is
 * disposed of. It is gone as well when this process ends in any other way, even by `kill -9`: a shell beside
 * it reads from a pipe that only this process holds open, and ends the server when the pipe closes.
 */
export abstract class Server implements AsyncDisposable {
  readonly folder: string
  readonly #disk: SmallDisk | undefined
  readonly #name: string
  readonly #start: Start
  readonly #processors: Readonly<Record<string, string>>
  readonly #guard: ChildProcess
  #process: ChildProcess | undefined

  constructor(
    name: string,
    start: Start,
    { onDisk = false, oneProcessor = false, disk }: ServerOptions = {},
  ) {
    this.#name = name
    this.#start = start
    this.#disk = disk
    this.#processors = oneProcessor && !isSoak ? { GOMAXPROCS: '1' } : {}
    this.folder = mkdtempSync(join(placeOfData(onDisk), 'holdfast-server-'))
    this.#guard = startGuard(this.folder)
  }

  /** What to start it with, anew at each start. */
  protected abstract launch(): Launch

  /** Whether it answers, and is the one that we started. May throw instead of saying no. */
  protected abstract isReady(): Promise<boolean>

  /** Where to put its data. */
  protected get dataFolder(): string {
    return this.#disk?.path ?? this.folder
  }

  get processId(): number | undefined {
    return this.#isRunning ? this.#process?.pid : undefined
  }

  /** Ends it if it runs, in good order, and starts it on the same port and data. */
  async restart(): Promise<void> {
    await this.stop()
    if (this.#start === null)
      throw new Error(`${this.#name} was not fetched: run node scripts/setup.mjs --for-tests`)
    const { args, env } = this.launch()
    const program = [...this.#start, ...args] as const
    const [command, ...allArgs] = this.#disk?.command(program) ?? program
    const log = openSync(this.#logPath, 'a')
    // A group of its own: Ctrl-C is for the tests, which then end it.
    this.#process = spawn(command, allArgs, {
      cwd: this.folder,
      env: { ...process.env, ...this.#processors, ...env },
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    await once(this.#process, 'spawn')
    this.#process.unref()
    this.#guard.stdin?.write(`${this.#process.pid}\n`)
    await this.#waitUntilReady()
  }

  /** Ends it at once, as a power cut of the machine's process would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Sends it a signal, such as SIGSTOP or SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Lets it end in good order. */
  async stop(): Promise<void> {
    const impatience = setTimeout(() => this.#process?.kill('SIGKILL'), stopMsMax)
    await this.#end('SIGTERM')
    clearTimeout(impatience)
  }

  /** The end of what it has said. */
  log(): string {
    return readFileSync(this.#logPath, { encoding: 'utf8', flag: 'a+' }).slice(-logBytesShown)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    if (this.#guard.exitCode !== null) return
    // The guard removes the folder.
    this.#guard.ref()
    const gone = once(this.#guard, 'exit')
    this.#guard.stdin?.end()
    await gone
  }

  get #logPath(): string {
    return join(this.folder, 'log')
  }

  get #isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#isRunning || !this.#process) return
    this.#process.ref()
    const gone = once(this.#process, 'exit')
    this.#process.kill(signal)
    await gone
    // Its id may soon be another's.
    this.#guard.stdin?.write('\n')
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = Date.now() + readyMsMax
    while (Date.now() < deadline) {
      const isReady = await this.isReady().catch(() => false)
      if (!this.#isRunning) throw new Error(`${this.#name} ended at its start:\n${this.log()}`)
      if (isReady) return
      await sleep(pollMs)
    }
    throw new Error(`${this.#name} did not answer within ${readyMsMax} ms:\n${this.log()}`)
  }
}

/** Starts what `make` makes, again where another program took one of its ports in the meantime. */
export async function started<S extends Server>(make: () => Promise<S>): Promise<S> {
  for (let attempt = 1; ; attempt++) {
    const server = await make()
    try {
      await server.restart()
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      if (attempt === startsMax || !isPortTaken(String(error))) throw error
    }
  }
}

/** Reads process ids, of which the last one counts, until its input ends; then ends it and cleans up. */
const guardScript = `trap '' INT TERM HUP
while read -r line; do id=$line; done
if [ -n "$id" ] && kill -9 "$id"; then
  for wait in 1 2 3 4 5 6 7 8 9; do kill -0 "$id" && sleep 0.1; done
fi
rm -rf "$1"`

const guards = new Set<ChildProcess>()
// The worker of a test run that was killed would go on to the end of its test.
process.once('disconnect', () => {
  for (const guard of guards) guard.stdin?.end()
})

function startGuard(folder: string): ChildProcess {
  const guard = spawn('sh', ['-c', guardScript, 'sh', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guards.add(guard)
  guard.on('exit', () => guards.delete(guard))
  guard.unref()
  // Neither keeps this process alive: it ends when this process does.
  ;(guard.stdin as unknown as { unref(): void }).unref()
  return guard
}
