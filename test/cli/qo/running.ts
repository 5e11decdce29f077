import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const bin = join(process.cwd(), 'bin/qo')

/** What a worker or monitor says in a line, with --json. */
interface LogLine {
  readonly level: string
  readonly message: string
  readonly event?: string
  readonly id?: string
  readonly attempt?: number
}

/** A `qo` that runs until it is told to end; gone with the test that started it. */
export class Running implements AsyncDisposable {
  readonly process: ChildProcess
  readonly lines: LogLine[] = []
  stderr = ''
  /** Whether all that it said was read. */
  #isRead = false
  #wake: () => void = () => {}

  private constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.process = spawn(bin, [...args, '--json'], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', HOLDFAST_LOG: 'debug', ...env },
    })
    createInterface({ input: this.process.stdout as Readable }).on('line', (line) => {
      const { kind, data, error } = JSON.parse(line)
      this.lines.push(kind === 'log' ? data : { level: kind, message: error?.message ?? line })
      this.#wake()
    })
    this.process.on('close', () => {
      this.#isRead = true
      this.#wake()
    })
    this.process.stderr?.on('data', (chunk) => {
      this.stderr += chunk
    })
  }

  /** Returns when it is at work. */
  static async start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Running> {
    const running = new Running(args, env)
    await running.line(({ message }) => /works on|is at work/.test(message))
    return running
  }

  /** The first line of which this is true, that has been said or will be. */
  async line(is: (line: LogLine) => boolean, msMax = 120_000): Promise<LogLine> {
    const until = performance.now() + msMax
    for (;;) {
      const found = this.lines.find(is)
      if (found) return found
      if (this.#isRead || performance.now() > until)
        throw new Error(`no such line among ${JSON.stringify(this.lines)} ${this.stderr}`)
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        timer = setTimeout(resolve, 200)
      })
      clearTimeout(timer)
    }
  }

  /** The first line that tells of such an event. */
  event(name: string, id?: string, msMax?: number): Promise<LogLine> {
    return this.line((line) => line.event === name && (id === undefined || line.id === id), msMax)
  }

  /** Returns when it has begun this task, which is running then. */
  async begun(id: string): Promise<void> {
    await this.event('started', id)
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  /** Sends a signal, and gives the exit code, or by which signal it was killed. */
  async end(signal: NodeJS.Signals): Promise<number | string> {
    const gone = this.hasEnded ? null : once(this.process, 'exit')
    this.process.kill(signal)
    await gone
    return this.process.exitCode ?? (this.process.signalCode as string)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) await this.end('SIGKILL')
  }
}
