import { SteadyTime, shown } from '../collection/index.ts'
import { randomByte } from '../random/index.ts'
import { InvalidTaskError } from './error.ts'
import { freeDigits, taggedEnd } from './type-tag.ts'

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

/** A random byte whose first bits are given, as in the first byte of a UUID's version and variant. */
const randomHexWith = (mask: number, bits: number): string =>
  hexOfByte[(randomByte() & mask) | bits] as string

/** The fourth group of a UUID, which begins with the variant. */
const variantGroup = (): string => `${randomHexWith(0x3f, 0x80)}${randomHex(1)}`

const countMax = 0x1000
/** Where counting begins is drawn as well, so that two who make ids at once do not make the same. */
const countStartMask = 0x7ff

/** What an id is made of; a shard is drawn where none is given. */
interface IdParts {
  readonly timeMs: number
  readonly type: string
  readonly shard?: string | null
}

/**
 * Makes UUIDs of version 8: a random digit, which is the shard, 11 digits of the time in milliseconds, three that count
 * within one, random ones, and the tag of the type. So the keys of each shard grow, which stores like, what is made in a
 * row sorts so, and who sees an id knows its type.
 */
export function idMaker(): (parts: IdParts) => string {
  let lastMs = 0
  let count = 0
  let time = timeDigits(lastMs)
  const steady = new SteadyTime(() => {
    lastMs = 0
  })
  const advance = (ms: number) => {
    ;[lastMs, count, time] = [
      ms,
      ((randomByte() << 8) | randomByte()) & countStartMask,
      timeDigits(ms),
    ]
  }
  return ({ timeMs, type, shard }) => {
    // Who makes more in a millisecond than there are numbers runs ahead of the clock.
    const ms = steady.next(timeMs)
    if (ms > lastMs) advance(ms)
    else if (++count === countMax) advance(lastMs + 1)
    const start = `${shard ?? randomHex(1).charAt(0)}${time}-8${count.toString(16).padStart(3, '0')}`
    const free = randomHex(2).slice(-freeDigits)
    return `${start}-${taggedEnd(variantGroup(), free, type)}`
  }
}

/** With the dash that an id has among them. */
function timeDigits(ms: number): string {
  const digits = ms.toString(16).padStart(11, '0')
  return `${digits.slice(0, 7)}-${digits.slice(7)}`
}

/** The token of a claim: a random UUID. */
export const newLeaseId = (): string =>
  `${randomHex(4)}-${randomHex(2)}-${randomHexWith(0x0f, 0x40)}${randomHex(1)}-${variantGroup()}-${randomHex(6)}`
