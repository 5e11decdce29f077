import { Refusal } from '../../collection/index.ts'
import type { Context } from './context.ts'
import type { Answer } from './output.ts'

/**
 * Changes one thing after the other. What one refuses, because of its state or because somebody else was faster, does
 * not keep the others from their turn; a store that fails does. Whoever calls tells of what was done, then throws.
 */
export async function changeEach<T, R>(
  targets: Iterable<T>,
  change: (target: T) => Promise<R>,
): Promise<{ done: R[]; failures: unknown[] }> {
  const [done, failures]: [R[], unknown[]] = [[], []]
  for (const target of targets)
    try {
      done.push(await change(target))
    } catch (error) {
      failures.push(error)
      if (!(error instanceof Refusal)) break
    }
  return { done, failures }
}

/**
 * Tells of what several changes did, then of what was refused; the exit code is that of the first refusal.
 * Where nothing was done, the first refusal is all there is to tell.
 */
export async function answerEach(
  context: Context,
  answer: Answer,
  failures: readonly unknown[],
): Promise<void> {
  const { out } = context
  const isNothingDone = (answer.data as readonly unknown[]).length === 0
  const [first, ...more] = failures
  if (failures.length === 0 || (out.isJson && !isNothingDone)) {
    const refused = await Promise.all(failures.map((each) => context.failureOf(each)))
    out.confirm({ ...answer, refused })
    context.exitCode = refused[0]?.exit ?? 0
    return
  }
  if (!isNothingDone) out.confirm(answer)
  if (!out.isJson) for (const failure of more) out.fail(await context.failureOf(failure))
  throw first
}
