import {
  decodeText,
  encodeText,
  flawsOf,
  Refusal,
  type StandardSchema,
} from '../collection/index.ts'
import { InvalidResultError, InvalidTaskError } from './error.ts'
import { timeNames } from './fields.ts'
import { lossIn } from './json.ts'
import type { StoredTask, Task } from './task.ts'

/** The most bytes that a payload may have, and a result. */
const contentBytesMax = 262_144

type Refuse = (what: string, next: string) => Error

/** How payloads or results become what is stored, and back. Bytes are stored as base64. */
export interface Content<Output> {
  /** Null where there is none. Throws what `refuse` makes of the flaw. */
  encode(value: unknown): Promise<string | null>
  /** Throws where no manager with the same schema can have written it. */
  decode(stored: string): Output
}

/** What the users of a manager put into tasks, and get out of them. */
export class Contents<P, R> {
  readonly payload: Content<P>
  readonly result: Content<R>
  /** What payloads are; undefined where they are bytes. */
  readonly schema: object | undefined
  readonly #isBytes: boolean

  constructor(schemas: {
    payload?: StandardSchema<unknown, P> | undefined
    result?: StandardSchema<unknown, R> | undefined
  }) {
    this.payload = contentOf(schemas.payload, {
      noun: 'payload',
      refuse: (what, next) => new InvalidTaskError(what, next),
    })
    this.result = contentOf(schemas.result, {
      noun: 'result',
      refuse: (what, next) => new InvalidResultError(what, next),
    })
    this.schema = schemas.payload
    this.#isBytes = !schemas.payload && !schemas.result
  }

  /** Throws where a stored task does not contain what it should; any bytes are bytes. */
  check(stored: StoredTask): void {
    if (!this.#isBytes) this.task(stored)
  }

  task({ isDeleting: _, ...stored }: StoredTask): Task<P, R> {
    const dates: Record<string, Date | null> = {}
    for (const name of timeNames) {
      const time = stored[name]
      dates[name] = time === null ? null : new Date(time)
    }
    return {
      ...stored,
      ...(dates as Pick<Task, (typeof timeNames)[number]>),
      claimToken: stored.claimToken ?? null,
      payload: this.payload.decode(stored.payload),
      result: stored.result === null ? null : this.result.decode(stored.result),
    }
  }
}

/** What it is called in messages, such as "payload". */
interface ContentRule {
  readonly noun: string
  readonly refuse: Refuse
}

function contentOf<T>(
  schema: StandardSchema<unknown, T> | undefined,
  rule: ContentRule,
): Content<T> {
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function')
    throw new TypeError(
      `The option "${rule.noun}" is no Standard Schema. Give one, or leave it out for bytes.`,
    )
  // Without a schema the type is that of bytes.
  return schema ? jsonContent(schema, rule) : (bytesContent(rule) as Content<unknown> as Content<T>)
}

/** Plain bytes. */
const bytesContent = ({ noun, refuse }: ContentRule): Content<Uint8Array> => ({
  encode: async (value) => {
    if (value === undefined || value === null) return null
    if (!(value instanceof Uint8Array))
      throw refuse(
        `The ${noun} is neither bytes nor JSON with a schema.`,
        `Give a Uint8Array, or a Standard Schema as the option "${noun}" of the manager.`,
      )
    return base64Of(value, noun, refuse)
  },
  // A copy that is plain bytes, whatever pool the decoder took it from.
  decode: (stored) => new Uint8Array(Buffer.from(stored, 'base64')),
})

/**
 * What a schema makes of a value, as JSON. It is checked when it is written, not when it is read; so what JSON would
 * change is refused, and the value that is read is the one that was written.
 */
const jsonContent = <Output>(
  schema: StandardSchema<unknown, Output>,
  { noun, refuse }: ContentRule,
): Content<Output> => ({
  encode: async (value) => {
    const outcome = await schema['~standard'].validate(value)
    if (outcome.issues)
      throw refuse(
        `The ${noun} is not what its schema asks for (${flawsOf(outcome.issues)}).`,
        'Correct it.',
      )
    const json = jsonOf(outcome.value, noun, refuse)
    return json === undefined ? null : base64Of(encodeText(json), noun, refuse)
  },
  decode: (stored) => JSON.parse(decodeText(Buffer.from(stored, 'base64'))) as Output,
})

function jsonOf(value: unknown, noun: string, refuse: Refuse): string | undefined {
  if (value === undefined) return undefined
  try {
    const loss = lossIn(value, noun)
    if (loss !== null) throw refuse(`${loss}, which JSON can't hold.`, jsonAdvice)
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof Refusal) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw refuse(`The ${noun} can't be written as JSON (${why}).`, jsonAdvice)
  }
}

const jsonAdvice =
  'Use plain objects, arrays, text, finite numbers, booleans and null; let the schema convert the rest.'

function base64Of(bytes: Uint8Array, noun: string, refuse: Refuse): string {
  if (bytes.byteLength > contentBytesMax)
    throw refuse(
      `The ${noun} has ${bytes.byteLength} bytes; the limit is 256 KiB (${contentBytesMax} bytes).`,
      'Keep the large part elsewhere, and store where it is.',
    )
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
