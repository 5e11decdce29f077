import { isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml'
import { codeOf } from '../../collection/index.ts'
import { BadGlobError } from './bad-glob-error.ts'
import { compileGlob, type Glob } from './glob.ts'
import type { Report } from './report.ts'

/** What all patterns of a file together may cost. */
const fileCostMax = 100_000

const textCharactersMax = 500
const plainWord = /^[\w.?-]{0,40}$/

/** A field of the file: its name, its value and where it is. */
export interface Field {
  readonly name: string
  readonly value: unknown
  /** Of its value; of its name where it has none. */
  readonly offset: number
}

interface FieldWords {
  readonly of: string
  readonly hint?: (name: string) => string | null
  readonly isLost?: (name: string) => boolean
}

/** Reads the values of fields, and reports those that are not what they should be. */
export class FieldReader {
  readonly report: Report
  #cost = 0

  constructor(report: Report) {
    this.report = report
  }

  /**
   * The fields of a map by name. They stand in a `Map`, so that a field called `__proto__` is only an unknown one.
   * `hint` may say more about an unknown field than which ones are known, and `isLost` that to ignore it would lose what its
   * author meant.
   */
  fieldsOf(
    map: unknown,
    known: readonly string[],
    { of, hint = () => null, isLost = () => false }: FieldWords,
  ): Map<string, Field> {
    const fields = new Map<string, Field>()
    for (const pair of isMap(map) ? map.items : []) {
      const field = fieldOf(pair)
      const at = offsetOf(pair.key, field.offset)
      if (!known.includes(field.name)) {
        // A link can make this file of any file, and so a field of any secret.
        const shown = plainWord.test(field.name) ? ` ${shownText(field.name)}` : ''
        const next = `${hint(field.name) ?? `Known are ${known.join(', ')}`}.`
        if (isLost(field.name)) this.report.error(at, `Unknown field${shown} of ${of}. ${next}`)
        else this.report.warn(at, `Unknown field${shown} of ${of} is ignored. ${next}`)
      } else if (fields.has(field.name))
        this.report.error(at, `The field '${field.name}' of ${of} stands there twice.`)
      else fields.set(field.name, field)
    }
    return fields
  }

  /** Null where there is no text to use; an empty one is reported. */
  text(field: Field | undefined): string | null {
    if (field === undefined) return null
    const text = textOf(field.value)?.trim() ?? ''
    const control = /\p{Cc}/u.exec(text)
    if (text === '')
      this.report.error(field.offset, `${field.name} must be a text that is not empty.`)
    else if (text.length > textCharactersMax)
      this.report.error(
        field.offset,
        `${field.name} has more than ${textCharactersMax} characters.`,
      )
    else if (control)
      this.report.error(
        field.offset,
        `${field.name} has the control character ${codeOf(control[0])}.`,
      )
    else return text
    return null
  }

  boolean(field: Field | undefined): boolean | null {
    if (field === undefined) return null
    const value = isScalar(field.value) ? field.value.value : field.value
    if (typeof value === 'boolean') return value
    this.report.error(field.offset, `${field.name} must be true or false.`)
    return null
  }

  texts(field: Field): string[] {
    return this.#items(field, 'texts', ({ scalar, offset }) => {
      const text = textOf(scalar)
      if (text === null || text.trim() === '') {
        this.report.error(offset, `${field.name} must be a list of texts that are not empty.`)
        return null
      }
      return text
    })
  }

  priorities(field: Field): number[] {
    return this.#items(field, 'numbers from 0 to 4', ({ scalar, offset }) => {
      const value = isScalar(scalar) ? scalar.value : null
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 4)
        return value
      this.report.error(offset, `${field.name}: priority must be 0-4.`)
      return null
    })
  }

  globs(field: Field): Glob[] {
    return this.#items(field, 'patterns', ({ scalar, offset }) => {
      try {
        const glob = compileGlob((textOf(scalar) ?? '').trim())
        this.#cost += glob.cost
        if (this.#cost <= fileCostMax) return glob
        this.report.error(offset, `${field.name}: the patterns of the file are too many to keep.`)
      } catch (error) {
        if (!(error instanceof BadGlobError)) throw error
        this.report.error(offset, `${field.name}: ${error.what}`)
      }
      return null
    })
  }

  /** The items that could be read; empty where the list is, which is as if the field were not there. */
  #items<Item>(
    field: Field,
    of: string,
    read: (item: { scalar: unknown; offset: number }) => Item | null,
  ): Item[] {
    if (!isSeq(field.value) && !isNothing(field.value)) {
      this.report.error(field.offset, `${field.name} must be a list of ${of}.`)
      return []
    }
    const items = isSeq(field.value) ? field.value.items : []
    if (items.length === 0)
      this.report.warn(field.offset, `${field.name} is empty, which is as if it were not there.`)
    return items.flatMap((scalar) => read({ scalar, offset: offsetOf(scalar, field.offset) }) ?? [])
  }
}

const fieldOf = ({ key, value }: Pair): Field => {
  const name = isScalar(key) ? (textOf(key) ?? '') : '?'
  return { name, value, offset: offsetOf(isNothing(value) ? key : value, 0) }
}

/** Whether a field has no value: `match:` and the end of the line. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (isScalar(value) && value.value === null)

export const offsetOf = (node: unknown, otherwise: number): number =>
  (node as Scalar | null)?.range?.[0] ?? otherwise

/** A text as it stands there: `2024` and `true` are texts, too, where one is asked for. */
function textOf(node: unknown): string | null {
  if (!isScalar(node) || isNothing(node)) return null
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}

const shownMax = 60

/** A word of the file as a message shows it: short, and without what a terminal would obey. */
export const shownText = (text: string): string => {
  const cut = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
  return `'${cut.replace(/\p{Cc}/gu, codeOf)}'`
}
