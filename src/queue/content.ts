import { decodeText, encodeText, isDeeper } from '../collection/index.ts'
import { byteLengthOf, create, isSameBytes, type Store, StoreError } from '../store/internal.ts'
import { depthMax } from './document.ts'
import { CorruptTaskError, InvalidTaskError, PermanentError } from './error.ts'
import { dataKeyOf, dataPath } from './keys.ts'
import type { Json, Task } from './task.ts'

/** The most that an input or output may have, and the most that lies in the task itself. */
export const contentBytesMax = 1_000_000
/** Up to so many bytes an input or output stands in the task itself; above, beside it. */
export const inlineBytesMax = 65_536

/** A task is a level more. */
const contentDepthMax = depthMax - 1

/** What a task says of its input or output: the value, or where a large one lies. */
export interface Kept {
  readonly value: Json
  readonly ref: string | null
}

/** Inputs and outputs. Large ones lie beside the task, under keys that are written once, before the task names them. */
export class Contents {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Throws {@link InvalidTaskError}. */
  async keepInput(id: string, input: Checked): Promise<Kept> {
    if (isInline(input)) return inline(input)
    const ref = dataPath(id, 'input.json')
    await this.#create(ref, input.json)
    return { value: null, ref }
  }

  /** Each attempt has a key of its own, but for the first that needs one. */
  async keepOutput({ id, attempt }: Task, { json }: Checked): Promise<string> {
    for (const name of ['output.json', `output.${attempt}.json`]) {
      const ref = dataPath(id, name)
      if (await this.#create(ref, json)) return ref
    }
    throw new StoreError(
      'damaged',
      `The output of attempt ${attempt} at task ${id} is there already, with other bytes.`,
      'Look at what lies below data/ for it.',
    )
  }

  /** The whole input, wherever it lies. */
  inputOf(task: Task): Promise<Json> {
    return this.#valueOf(task, task.input_ref, task.input)
  }

  outputOf(task: Task): Promise<Json> {
    return this.#valueOf(task, task.output_ref, task.output)
  }

  /** A task with its input and output, wherever they lie. */
  async whole(task: Task): Promise<Task> {
    if (task.input_ref === null && task.output_ref === null) return task
    const [input, output] = [await this.inputOf(task), await this.outputOf(task)]
    return { ...task, input, output }
  }

  async #valueOf({ id }: Task, ref: string | null, value: Json): Promise<Json> {
    if (ref === null) return value
    const entry = ref.startsWith('data/') ? await this.#store.get(dataKeyOf(ref)) : null
    if (entry === null)
      throw new CorruptTaskError(id, `Task ${id} refers to ${ref}, which is missing.`)
    try {
      return JSON.parse(decodeText(entry.value)) as Json
    } catch (error) {
      throw new CorruptTaskError(id, `What lies at ${ref} is no JSON.`, error)
    }
  }

  /** False where something else lies there. */
  async #create(ref: string, json: string): Promise<boolean> {
    const key = dataKeyOf(ref)
    const bytes = encodeText(json)
    try {
      if ((await this.#store.commit([create(key, bytes, { once: true })])).ok) return true
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unknown_outcome')) throw error
    }
    const entry = await this.#store.get(key)
    return entry !== null && isSameBytes(entry.value, bytes)
  }
}

/** A value as JSON. */
export interface Checked {
  readonly value: Json
  readonly json: string
}

/** Whether it fits into the task. */
export const isInline = ({ json }: Checked): boolean =>
  json.length <= inlineBytesMax / 3 || byteLengthOf(json) <= inlineBytesMax

/** What a task says of one that does. */
export const inline = ({ value }: Checked): Kept => ({ value, ref: null })

/** Throws {@link InvalidTaskError}. */
export const checkInput = (value: unknown): Checked =>
  checked(value, 'input', (what, next) => new InvalidTaskError(what, next))

/** Throws {@link PermanentError}: another attempt would give the same. */
export const checkOutput = (value: unknown): Checked =>
  checked(value, 'output', (what) => new PermanentError(what))

function checked(
  value: unknown,
  noun: string,
  refuse: (what: string, next: string) => Error,
): Checked {
  if (value === undefined || value === null) return { value: null, json: 'null' }
  const json = jsonOf(value, noun, refuse)
  if (isDeeper(json, contentDepthMax))
    throw refuse(
      `The ${noun} is nested more than ${contentDepthMax} levels deep.`,
      'Flatten it, or pass it as a text.',
    )
  const bytes = json.length > contentBytesMax / 3 ? byteLengthOf(json) : 0
  if (bytes > contentBytesMax)
    throw refuse(
      `The ${noun} has ${bytes} bytes; the limit is ${contentBytesMax}.`,
      'Keep the large part elsewhere, and pass where it is.',
    )
  return { value: value as Json, json }
}

function jsonOf(
  value: unknown,
  noun: string,
  refuse: (what: string, next: string) => Error,
): string {
  let json: string | undefined
  let why = `it is a ${typeof value}`
  try {
    json = JSON.stringify(value)
  } catch (error) {
    why = error instanceof Error ? error.message : String(error)
  }
  if (json !== undefined) return json
  throw refuse(`The ${noun} can't be written as JSON (${why}).`, 'Give what JSON can hold.')
}
