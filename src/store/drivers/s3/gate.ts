import { StoreError } from '../../error.ts'
import type { Place } from './place.ts'

/**
 * Lets so many calls through at once; the others wait for their turn, as long as calls succeed. The time of a call
 * counts from its turn on: a long queue at a healthy server is no failure, a queue at a dead one is.
 */
export class Gate {
  readonly #place: Place
  readonly #callsMax: number
  readonly #waiting = new Set<() => void>()
  #inside = 0
  #progressAt = performance.now()

  constructor(place: Place, callsMax: number) {
    this.#place = place
    this.#callsMax = callsMax
  }

  /** What to wait for; nothing where there is room. */
  enter(): Promise<void> | undefined {
    if (this.#inside >= this.#callsMax) return this.#wait()
    this.#inside++
    return undefined
  }

  leave(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#inside--
  }

  /** A call has succeeded. */
  progress(): void {
    this.#progressAt = performance.now()
  }

  #wait(): Promise<void> {
    const { timeoutMs } = this.#place
    return new Promise((resolve, reject) => {
      let since = performance.now()
      const check = () => {
        if (this.#progressAt < since) {
          this.#waiting.delete(enter)
          reject(this.#stuck())
        } else {
          since = performance.now()
          timer = setTimeout(check, timeoutMs)
        }
      }
      let timer = setTimeout(check, timeoutMs)
      const enter = () => {
        clearTimeout(timer)
        this.#waiting.delete(enter)
        resolve()
      }
      this.#waiting.add(enter)
    })
  }

  #stuck(): StoreError {
    return new StoreError(
      'down',
      `The ${this.#place.shown} has answered none of ${this.#callsMax} requests for ${this.#place.timeoutMs} ms.`,
      'Check that the server runs, then try again.',
    )
  }
}
