/** Signals that end the program once the terminal is in order. Ctrl-C from elsewhere is the key itself. */
const deadly = ['SIGTERM', 'SIGHUP'] as const

/** Waits for a reason to end: the user's word, a signal, or that there is no user any more. */
export class Ending {
  readonly ended: Promise<void>
  readonly #terminal: readonly [NodeJS.ReadStream, NodeJS.WriteStream]
  readonly #listeners: readonly [name: NodeJS.Signals, listener: () => void][]
  #resolve: () => void = () => {}
  #signal: NodeJS.Signals | undefined

  constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
    this.#terminal = [stdin, stdout]
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#listeners = [
      ['SIGINT', this.end],
      ...deadly.map((name): [NodeJS.Signals, () => void] => [name, () => this.#endBy(name)]),
    ]
    for (const [name, listener] of this.#listeners) process.on(name, listener)
    stdin.on('end', this.end)
    for (const stream of this.#terminal) stream.on('error', this.end)
  }

  readonly end = (): void => this.#resolve()

  /** Lets go of the signals; one that came goes on to do what it would have done. */
  release(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener)
    this.#terminal[0].off('end', this.end)
    for (const stream of this.#terminal) stream.off('error', this.end)
    if (this.#signal) process.kill(process.pid, this.#signal)
  }

  #endBy(name: NodeJS.Signals): void {
    this.#signal = name
    this.end()
  }
}
