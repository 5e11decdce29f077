import { networkOf } from './client-address.ts'
import { type HttpError, kitError } from './error.ts'

/** So many wrong tokens from one address within a minute are told so at once. */
const attemptsMax = 10
const windowMs = 60_000
/** After that one is answered a second. */
const answerEveryMs = 1_000
/** How many may wait for their answer: from one address, and from all. */
const waitingMax = 30
const waitingAllMax = 1_000
/** How many addresses are remembered: those that tried last. */
const addressesMax = 10_000

interface Attempts {
  /** When the last ones came, the oldest first. */
  readonly times: number[]
  /** When the next answer may be given. */
  answerAt: number
}

/** What to answer a wrong token with, and when. */
export interface Slowed {
  readonly error: HttpError
  readonly waitMs: number
}

/**
 * Slows down who guesses tokens. Only wrong tokens get here, so the right one works at once whatever else comes from its
 * address.
 */
export class Throttle implements Disposable {
  readonly #byNetwork = new Map<string, Attempts>()
  readonly #waiting = new Map<NodeJS.Timeout, () => void>()
  /** Goes on evenly, whatever happens to the clock of this machine. */
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Notes a wrong token; null where it may be refused like any other request. */
  attempt(address: string): Slowed | null {
    const now = this.#now()
    const attempts = this.#of(networkOf(address), now)
    const oldest = attempts.times[0] as number
    const isFull = attempts.times.length === attemptsMax && oldest > now - windowMs
    if (attempts.times.length === attemptsMax) attempts.times.shift()
    attempts.times.push(now)
    if (!isFull) return null
    const error = tooMany((attempts.times[0] as number) + windowMs - now)
    const at = Math.max(now, attempts.answerAt)
    const isCrowded = at - now >= waitingMax * answerEveryMs || this.#waiting.size >= waitingAllMax
    if (isCrowded) return { error: lastOnItsConnection(error), waitMs: 0 }
    attempts.answerAt = at + answerEveryMs
    return { error, waitMs: at - now }
  }

  /** Answers when it is time, or when the server ends. */
  after(waitMs: number, answer: () => void): void {
    if (waitMs <= 0) {
      answer()
      return
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      answer()
    }, waitMs)
    this.#waiting.set(timer, answer)
  }

  [Symbol.dispose](): void {
    for (const [timer, answer] of this.#waiting) {
      clearTimeout(timer)
      answer()
    }
    this.#waiting.clear()
  }

  #of(network: string, now: number): Attempts {
    const attempts = this.#byNetwork.get(network) ?? { times: [], answerAt: now }
    this.#byNetwork.delete(network)
    this.#byNetwork.set(network, attempts)
    if (this.#byNetwork.size > addressesMax)
      this.#byNetwork.delete(this.#byNetwork.keys().next().value as string)
    return attempts
  }
}

const tooMany = (msLeft: number): HttpError => {
  const seconds = Math.max(1, Math.ceil(msLeft / 1000))
  return kitError(
    'TOO_MANY_ATTEMPTS',
    'Too many wrong tokens came from your address. Check the token: the right one works at once.',
    { details: { retry_after_seconds: seconds }, headers: { 'Retry-After': String(seconds) } },
  )
}

const lastOnItsConnection = ({ message, details, headers }: HttpError): HttpError =>
  kitError('TOO_MANY_ATTEMPTS', message, {
    details,
    headers: { ...headers, Connection: 'close' },
  })
