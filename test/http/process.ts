import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Place {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** `coven` if left out. */
  readonly program?: string
}

/** A program that serves, as a process of its own, gone with the test that started it. */
export class Served implements AsyncDisposable {
  readonly process: ChildProcess
  readonly #closed: Promise<unknown>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], { cwd, env = {}, program = 'coven' }: Place) {
    this.process = spawn(join(process.cwd(), 'bin', program), ['serve', ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#closed = new Promise((resolve) => this.process.once('close', resolve))
    this.process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text
    })
    this.process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text
    })
  }

  /** On a free port, once it listens. */
  static async start(
    args: readonly string[],
    place: Place,
  ): Promise<Served & { readonly url: string }> {
    const served = new Served(['--port', '0', ...args], place)
    while (!served.stdout.includes('/docs\n')) {
      if (served.process.exitCode !== null) throw new Error(`it ended: ${served.stderr}`)
      await Promise.race([
        once(served.process.stdout as NodeJS.EventEmitter, 'data'),
        served.#closed,
      ])
    }
    const url = /listens on (\S+)/.exec(served.stdout)?.[1] as string
    return Object.assign(served, { url })
  }

  /** Sends a signal, and answers with the exit code once it has ended and all that it said was read. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.process.kill(signal)
    return this.ended()
  }

  async ended(): Promise<number | null> {
    await this.#closed
    return this.process.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }
}
