import { randomFillSync } from 'node:crypto'
import { type SetBack, SteadyTime, textOf } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'

/** Ids are UUIDs of version 7: they sort by the time at which they were made. */
export const idLength = 36

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** An id in lower case, or null for what is none. */
export function parseId(given: unknown): string | null {
  const id = typeof given === 'string' ? given.toLowerCase() : ''
  return form.test(id) ? id : null
}

/**
 * A whole id, in lower case.
 *
 * @throws {@link InvalidTaskError} with `INVALID_ID` where it is no UUID.
 */
export function checkId(given: unknown): string {
  const id = parseId(given)
  if (id === null) throw invalidId(given, 'Ids are UUIDs, such as the ones that lists show.')
  return id
}

/** The start of an id in lower case; its hyphens may be left out. */
export function checkIdPrefix(given: unknown): string {
  const prefix = typeof given === 'string' ? given.trim().toLowerCase() : ''
  const whole = prefix.includes('-') ? prefix : hyphened(prefix)
  if (/^[0-9a-f-]{1,36}$/.test(whole)) return whole
  throw invalidId(given, 'Ids are hex digits and hyphens; give at least the first.')
}

/** Where the parts of an id begin that hyphens stand between, counted without these. */
const partStarts = [0, 8, 12, 16, 20]

const hyphened = (hex: string): string =>
  partStarts
    .map((start, at) => hex.slice(start, partStarts[at + 1]))
    .filter((part) => part !== '')
    .join('-')

const invalidId = (given: unknown, next: string): InvalidTaskError =>
  new InvalidTaskError(
    'INVALID_ID',
    `Not the id of a task: ${JSON.stringify(textOf(given).slice(0, 80))}.`,
    next,
  )

const countMax = 0x1000

/** Makes ids, and times for them, such that both ascend in the order of the calls. */
export class IdMaker {
  readonly #steady: SteadyTime
  #lastMs = 0
  #count = 0

  constructor(onSetBack: (setBack: SetBack) => void = () => {}) {
    this.#steady = new SteadyTime((setBack) => {
      this.#lastMs = 0
      onSetBack(setBack)
    })
  }

  next(nowMs: number): { id: string; ms: number } {
    // The 12 bits after the time count within a millisecond; who makes more runs ahead of the clock.
    const ms = this.#steady.next(nowMs)
    const isLater = ms > this.#lastMs
    this.#count = isLater ? 0 : this.#count + 1
    this.#lastMs = isLater ? ms : this.#lastMs
    if (this.#count === countMax) [this.#lastMs, this.#count] = [this.#lastMs + 1, 0]
    const bytes = randomFillSync(Buffer.alloc(16))
    bytes.writeUIntBE(this.#lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | this.#count, 6)
    bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
    const hex = bytes.toString('hex')
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
    return { id: [...parts, hex.slice(20)].join('-'), ms: this.#lastMs }
  }
}
