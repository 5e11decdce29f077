import type { Contents } from '../content.ts'
import { copyOf, type Task } from '../task.ts'
import { type HandlerContext, parsed, type TypedHandler } from '../task-type.ts'
import type { Tracing } from './tracing.ts'

/** How an attempt went. */
export type Result =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'thrown'; readonly error: unknown }

interface Tools {
  readonly contents: Contents
  readonly tracing: Tracing | null
}

/**
 * Runs a handler. Never throws, and gives no promise where there is nothing to wait for. What a handler does to its
 * input must not be stored with the next change, so it gets a copy.
 */
export function handle(
  tools: Tools,
  handler: TypedHandler,
  task: Task,
  context: HandlerContext,
): Result | Promise<Result> {
  if (handler.input || handler.output || task.input_ref !== null || tools.tracing)
    return handleAround(tools, handler, task, context)
  try {
    const output: unknown = handler.run(copyOf(task.input) as never, context)
    return mayBeThenable(output) ? Promise.resolve(output).then(done, thrown) : done(output)
  } catch (error) {
    return thrown(error)
  }
}

/** With what is to be read, checked or traced. */
async function handleAround(
  { contents, tracing }: Tools,
  handler: TypedHandler,
  task: Task,
  context: HandlerContext,
): Promise<Result> {
  try {
    const given = copyOf(await contents.inputOf(task))
    const input = await parsed(handler.input, given, 'input')
    const run = () => handler.run(input as never, context)
    const output = await (tracing ? tracing.run(task, run) : run())
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
