import { copyOf, type Json } from '../task.ts'
import { type HandlerContext, parsed, type TypedHandler } from '../task-type.ts'
import type { AttemptSpan } from './tracing.ts'

/** How an attempt went. */
export type Result =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'thrown'; readonly error: unknown }

/** What to run: the whole input, wherever it lies, and the span to run it in. */
interface Work {
  readonly input: Json
  readonly span: AttemptSpan | null
}

/**
 * Runs a handler. Never throws, and gives no promise where there is nothing to wait for. What a handler does to its
 * input must not be stored with the next change, so it gets a copy.
 */
export function handle(
  handler: TypedHandler,
  work: Work,
  context: HandlerContext,
): Result | Promise<Result> {
  if (handler.input || handler.output || work.span) return handleAround(handler, work, context)
  try {
    const output: unknown = handler.run(copyOf(work.input) as never, context)
    return mayBeThenable(output) ? Promise.resolve(output).then(done, thrown) : done(output)
  } catch (error) {
    return thrown(error)
  }
}

/** With what is to be checked or traced. */
async function handleAround(
  handler: TypedHandler,
  { input: given, span }: Work,
  context: HandlerContext,
): Promise<Result> {
  try {
    const input = await parsed(handler.input, copyOf(given), 'input')
    const run = () => handler.run(input as never, context)
    const output = await (span ? span.run(run) : run())
    return done(await parsed(handler.output, output, 'output'))
  } catch (error) {
    return thrown(error)
  }
}

const done = (output: unknown): Result => ({ type: 'done', output })
const thrown = (error: unknown): Result => ({ type: 'thrown', error })

/** Whether there is something to wait for. What it is that has a `then`, the promise finds out. */
const mayBeThenable = (value: unknown): boolean =>
  (typeof value === 'object' && value !== null && 'then' in value) || typeof value === 'function'
