import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a program did, or may have done: what it was about to do, and the answer where it had one. */
export interface Step {
  readonly what: string
  /** The name of its process. */
  readonly by: string
  readonly from: number
  /** When it had its answer, or was killed. */
  readonly to: number
  /** `unknown` where it was killed before it had an answer, or the store could not tell. */
  readonly outcome: 'done' | 'refused' | 'unavailable' | 'unknown'
  readonly id?: string
  readonly key?: string
  readonly text?: string
  readonly status?: string
  readonly attempt?: number
  readonly seq?: number
}

/** A line of a program, as test/processes/doomed.ts writes it. */
interface Line extends Partial<Step> {
  readonly n: number
  readonly at: number
}

/**
 * A program of test/processes that writes for ever and tells of each step on its standard output, made to be killed. What it
 * wrote there before its death is read to the end.
 */
export class Doomed implements AsyncDisposable {
  readonly process: ChildProcess
  readonly #name: string
  readonly #gone: Promise<unknown>
  #output = ''
  #diedAt = Number.NaN

  constructor(program: string, name: string, args: readonly string[]) {
    this.#name = name
    const script = fileURLToPath(new URL(`../.tools/test/processes/${program}.js`, import.meta.url))
    this.process = spawn(process.execPath, [script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#gone = once(this.process, 'close')
    this.process.stdout?.setEncoding('utf8').on('data', (chunk) => {
      this.#output += chunk
    })
  }

  /** Once it has told of something that was acknowledged. */
  async telling(acknowledgement = '"done"'): Promise<void> {
    const stdout = this.process.stdout as NodeJS.ReadableStream
    const isAlive = () => this.process.exitCode === null && this.process.signalCode === null
    while (!this.#output.includes(acknowledgement) && isAlive())
      await Promise.race([once(stdout, 'data'), this.#gone])
  }

  /** Ends it as a power cut of its process would. Fails where it has ended before. */
  async kill(): Promise<void> {
    const { exitCode, pid } = this.process
    if (exitCode !== null) throw new Error(`${this.#name} (${pid}) ended with ${exitCode}`)
    await this[Symbol.asyncDispose]()
    this.#diedAt = performance.timeOrigin + performance.now()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#gone
  }

  /** What it has told. A last line without its newline is half an acknowledgement, and so none. */
  get lines(): string[] {
    return this.#output.split('\n').slice(0, -1)
  }

  /** The same of a program that tells of steps. */
  get steps(): Step[] {
    const steps = new Map<number, Step>()
    for (const line of this.lines) {
      const { n, at, ...said } = JSON.parse(line) as Line
      const begun = steps.get(n)
      const before = begun ?? { what: '', by: this.#name, from: at, outcome: 'unknown' as const }
      steps.set(n, { ...before, to: begun ? at : this.#diedAt, ...said })
    }
    return [...steps.values()]
  }
}
