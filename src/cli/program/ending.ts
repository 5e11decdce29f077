/** By a person, by a system, and by the end of a terminal. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Hears when the process is asked to end; asked twice, it ends at once, after what must be done even then. */
export class Ending implements Disposable {
  /** The signal by which it was asked. */
  readonly asked: Promise<string>
  readonly #listener: (signal: string) => void
  readonly #atOnce: () => void

  constructor(atOnce: () => void = () => {}) {
    this.#atOnce = atOnce
    let ask: (signal: string) => void = () => {}
    this.asked = new Promise((resolve) => {
      ask = resolve
    })
    let isAsked = false
    this.#listener = (signal) => {
      if (isAsked) {
        atOnce()
        process.exit(1)
      }
      isAsked = true
      ask(signal)
    }
    for (const signal of signals) process.on(signal, this.#listener)
  }

  /** Ends the process in good order, whatever goes on in it. */
  exit(): never {
    this.#atOnce()
    process.exit(0)
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#listener)
  }
}
