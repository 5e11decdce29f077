import { shown } from '../collection/index.ts'

/** A value inside another one: a step from what contains it. */
interface Place {
  readonly value: unknown
  /** Null for the whole. */
  readonly within: Place | null
  readonly step: string | number
}

/** Whoever has seen so many parts has seen more than may be stored, or a value that contains itself. */
const partsMax = 262_144

/**
 * What would not come back from JSON the same, in a sentence that says where it is; null where all of it does. A
 * property that is undefined may be missing afterwards, for its type must allow that.
 */
export function lossIn(value: unknown, noun: string): string | null {
  const open: Place[] = [{ value, within: null, step: noun }]
  for (let seen = 0; seen < partsMax; seen++) {
    const place = open.pop()
    if (place === undefined) return null
    const flaw = flawOf(place.value)
    if (flaw !== null) return `${place.within === null ? `The ${noun}` : pathOf(place)} ${flaw}`
    for (const [step, part] of partsOf(place.value)) open.push({ value: part, within: place, step })
  }
  return null
}

/** What is wrong with a value itself, whatever it contains. */
function flawOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : `is ${value}`
  if (value === undefined) return 'is undefined'
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    return `is a ${typeof value}`
  if (typeof value !== 'object' || value === null) return null
  if (!isPlain(value)) return `is ${nameOf(value)}`
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'has a toJSON method'
  const symbol = Object.getOwnPropertySymbols(value).find((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  )
  if (symbol !== undefined) return `has the key ${String(symbol)}`
  const extra = Array.isArray(value) ? Object.keys(value)[value.length] : undefined
  return extra === undefined ? null : `has the key ${shown(extra)}`
}

/** Backwards, for the last one is looked at first. A hole in an array is undefined. */
function* partsOf(value: unknown): Generator<[step: string | number, part: unknown]> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value))
    for (let at = Math.min(value.length, partsMax) - 1; at >= 0; at--) yield [at, value[at]]
  else
    for (const [name, part] of Object.entries(value).reverse())
      if (part !== undefined) yield [name, part]
}

/** Objects and arrays of other realms are plain, too; those of classes are not. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  // What all arrays inherit from is an array itself.
  if (Array.isArray(value)) return Array.isArray(prototype)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function nameOf(value: object): string {
  const { name } = value.constructor ?? {}
  if (typeof name !== 'string' || name === '') return 'an object of a class'
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`
}

function pathOf(place: Place): string {
  const steps: string[] = []
  for (let at: Place | null = place; at !== null; at = at.within) {
    const { step, within } = at
    if (within === null) steps.push(String(step))
    else if (typeof step === 'number') steps.push(`[${step}]`)
    else steps.push(/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step) ? `.${step}` : `[${shown(step)}]`)
  }
  return steps.reverse().join('')
}
