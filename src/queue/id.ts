import { shown } from '../collection/index.ts'
import { randomByte } from '../random/index.ts'
import { InvalidTaskError } from './error.ts'

/** Any UUID, in lower case. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const prefixDigitsMin = 4

/** An id in lower case. Throws {@link InvalidTaskError}. */
export function checkId(given: unknown): string {
  const id = typeof given === 'string' ? given.toLowerCase() : ''
  if (idPattern.test(id)) return id
  throw new InvalidTaskError(
    `Not the id of a task: ${shown(given)}.`,
    'Ids are UUIDs, such as 7019a8c3-1f20-8b1e-9d3c-5a6f00112233.',
  )
}

/** The hex digits of the start of an id, without dashes. Throws {@link InvalidTaskError}. */
export function checkIdPrefix(given: unknown): string {
  const digits = typeof given === 'string' ? given.toLowerCase().replaceAll('-', '') : ''
  if (/^[0-9a-f]+$/.test(digits) && digits.length >= prefixDigitsMin && digits.length <= 32)
    return digits
  throw new InvalidTaskError(
    `Not the start of a task's id: ${shown(given)}.`,
    `Give at least ${prefixDigitsMin} hex digits of it.`,
  )
}

/** The same with dashes where an id has them. */
export const dashed = (digits: string): string =>
  [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .filter((part) => part !== '')
    .join('-')

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function randomHex(bytes: number): string {
  let hex = ''
  for (let count = 0; count < bytes; count++) hex += hexOfByte[randomByte()]
  return hex
}

const variants = '89ab'

const countMax = 0x1000

/**
 * Makes UUIDs of version 8: a random digit, which is the shard, 11 digits of the time in milliseconds, three that count
 * within one, and random ones. So the keys of each shard grow, which stores like, and what is made in a row sorts so.
 */
export function idMaker(): (timeMs: number) => string {
  let lastMs = 0
  let count = 0
  return (timeMs) => {
    // Who makes more in a millisecond than there are numbers runs ahead of the clock.
    if (timeMs > lastMs) [lastMs, count] = [timeMs, 0]
    else if (++count === countMax) [lastMs, count] = [lastMs + 1, 0]
    const random = randomHex(9)
    const time = lastMs.toString(16).padStart(11, '0')
    const counted = count.toString(16).padStart(3, '0')
    const variant = variants.charAt(Number.parseInt(random.charAt(1), 16) & 3)
    return `${random.charAt(0)}${time.slice(0, 7)}-${time.slice(7)}-8${counted}-${variant}${random.slice(2, 5)}-${random.slice(5, 17)}`
  }
}

/** The token of a claim: a random UUID. */
export function newLeaseId(): string {
  const random = randomHex(16)
  const variant = variants.charAt(Number.parseInt(random.charAt(16), 16) & 3)
  return `${random.slice(0, 8)}-${random.slice(8, 12)}-4${random.slice(13, 16)}-${variant}${random.slice(17, 20)}-${random.slice(20)}`
}
