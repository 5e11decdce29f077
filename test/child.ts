import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A program of test/processes, running; gone with the test that started it. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess
  readonly #messages: unknown[] = []
  #wake: (() => void) | undefined

  constructor(name: string, args: readonly string[], execArgv: readonly string[] = []) {
    const script = new URL(`../.tools/test/processes/${name}.js`, import.meta.url)
    this.process = fork(script, [...args], { execArgv: [...execArgv] })
    this.process.on('message', (message) => this.#add(message))
    for (const end of ['exit', 'disconnect']) this.process.on(end, () => this.#wake?.())
  }

  /** The next message it sends; fails when it ends instead. What it has said comes before its end. */
  async message<T>(): Promise<T> {
    while (this.#messages.length === 0) {
      if (this.#hasEnded && !this.process.connected)
        throw new Error(`${this.process.spawnfile} ended without a word`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#messages.shift() as T
  }

  /** All messages that have come and were not taken yet. */
  taken(): unknown[] {
    return this.#messages.splice(0)
  }

  /** Lets them begin once each has said that it is there: who starts sooner would be through before the others. */
  static async startTogether(children: readonly Child[]): Promise<void> {
    for (const child of children) assert.equal(await child.message(), 'here')
    for (const child of children) child.send('go')
  }

  send(message: string): void {
    this.process.send(message)
  }

  /** Ends it at once, as a power cut would, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return
    const gone = once(this.process, 'exit')
    this.process.kill('SIGKILL')
    await gone
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }

  get #hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  #add(message: unknown): void {
    this.#messages.push(message)
    this.#wake?.()
  }
}
