import { flawsOf, type StandardSchema } from '../collection/index.ts'
import { checkType } from './checks.ts'
import { InvalidTaskError, PermanentError } from './error.ts'
import type { Json, Task } from './task.ts'

/** What a handler knows beside its input. */
export interface HandlerContext {
  /** The task as it was claimed. */
  readonly task: Task
  /** Aborted when the task is cancelled, at its timeout, when its lease is lost, and at the end of a shutdown. */
  readonly signal: AbortSignal
  /** From 1 on. */
  readonly attempt: number
  /** Says how far it is, for who looks at the workers: a share from 0 to 1, or words. */
  progress(how: number | string): void
  /** Raises the limit of this attempt, and the lease with it. */
  extend(ms: number): Promise<void>
}

/** What a worker does for tasks of one type; what it returns is the output. Throw `PermanentError` to give up. */
export type Handler<I = Json, O = unknown> = (
  input: I,
  context: HandlerContext,
) => O | PromiseLike<O>

/**
 * A handler of whatever input: without a schema its input is unknown, unless the handler says what it takes, as in
 * `(input: { name: string }) => …`.
 */
export type AnyHandler = {
  // Written as a method, for the inputs of methods may be narrower than what they stand for.
  run(input: unknown, context: HandlerContext): unknown
}['run']

/** A handler with the schemas of its type. */
export interface TypedHandler {
  /** The name of the type it is for. */
  readonly type: string
  /** What it does. */
  readonly run: Handler<never>
  /** How long it may take to end after it was aborted, before its task is given back; 30 s where it is left out. */
  readonly endMs?: number | undefined
  /** Checks and converts the input before it runs. */
  readonly input?: StandardSchema | undefined
  /** Checks and converts what it returns. */
  readonly output?: StandardSchema | undefined
}

/** What submitting needs to know of a type. */
export interface SubmittableType<Given> {
  /** What tasks of this type are called. */
  readonly name: string
  /** What an input must be; anything where it is left out. */
  readonly input?: StandardSchema<Given, unknown> | undefined
}

/** A type of tasks, with what its inputs and outputs are. */
export interface TaskType<I, O, Given = I, Made = O> extends SubmittableType<Given> {
  readonly input?: StandardSchema<Given, I> | undefined
  /** What an output must be; anything where it is left out. */
  readonly output?: StandardSchema<Made, O> | undefined
  /** What a worker does for it: `handlers: [type.handler(run)]`. */
  handler(run: Handler<I, Made>): TypedHandler
}

/**
 * Names a type of tasks. Submitting checks the input by the schema; what is stored is what was given. A handler gets
 * what the schema makes of it, and its output is checked likewise before it is stored.
 *
 * @example
 * ```js
 * import { taskType } from 'holdfast/queue'
 *
 * const double = taskType('double')
 * const handlers = [double.handler((input) => input * 2)] // for `new Worker(store, { handlers })`
 * console.log(handlers[0].type) // double
 * ```
 */
export function taskType<I = Json, O = Json, Given = I, Made = O>(
  name: string,
  schemas: {
    readonly input?: StandardSchema<Given, I> | undefined
    readonly output?: StandardSchema<Made, O> | undefined
  } = {},
): TaskType<I, O, Given, Made> {
  const { input, output } = schemas
  return {
    name: checkType(name),
    input,
    output,
    handler: (run) => ({
      type: name,
      run: run as Handler<never>,
      input: input as StandardSchema | undefined,
      output: output as StandardSchema | undefined,
    }),
  }
}

/** Throws {@link InvalidTaskError} where the input is not what the type asks for. */
export async function checkTyped(type: unknown, input: unknown): Promise<void> {
  const schema =
    typeof type === 'object' && type !== null ? (type as TypedHandler).input : undefined
  if (!schema) return
  const { issues } = await schema['~standard'].validate(input)
  if (issues)
    throw new InvalidTaskError(
      `The input is not what its type asks for (${flawsOf(issues)}).`,
      'Correct it.',
    )
}

/** What a schema makes of a value. Throws {@link PermanentError}: another attempt would find the same. */
export async function parsed(
  schema: StandardSchema | undefined,
  value: unknown,
  noun: 'input' | 'output',
): Promise<unknown> {
  if (!schema) return value
  const outcome = await schema['~standard'].validate(value)
  if (!outcome.issues) return outcome.value
  throw new PermanentError(
    `The ${noun} is not what the type of the task asks for (${flawsOf(outcome.issues)}).`,
  )
}
