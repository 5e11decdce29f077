import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const bin = join(process.cwd(), 'bin/coven')

/** `coven serve` as a process of its own, gone with the test that started it. */
export class Served implements AsyncDisposable {
  readonly process: ChildProcess
  stdout = ''
  stderr = ''

  constructor(
    args: readonly string[],
    { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
  ) {
    this.process = spawn(bin, ['serve', ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
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
    place: { cwd: string; env?: NodeJS.ProcessEnv },
  ): Promise<Served & { readonly url: string }> {
    const served = new Served(['--port', '0', ...args], place)
    while (!served.stdout.includes('/docs\n')) {
      if (served.process.exitCode !== null) throw new Error(`it ended: ${served.stderr}`)
      await Promise.race([
        once(served.process.stdout as NodeJS.EventEmitter, 'data'),
        once(served.process, 'close'),
      ])
    }
    const url = /listens on (\S+)/.exec(served.stdout)?.[1] as string
    return Object.assign(served, { url })
  }

  /** Sends a signal, and answers with the exit code once it has ended. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.process.kill(signal)
    return this.ended()
  }

  async ended(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null)
      await once(this.process, 'close')
    return this.process.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }
}
