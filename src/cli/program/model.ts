import { Refusal } from '../../collection/index.ts'
import type { Store } from '../../store/internal.ts'
import type { Context } from './context.ts'
import { ExplainedError } from './failure.ts'
import type { Answer } from './output.ts'

/** A model as the commands of a program use it. */
export interface Model<M> {
  /** Loads the library, which help does without, and makes the model on a store. */
  readonly make: (store: Store, onWarning: (text: string) => void) => Promise<M> | M
  /** The store that the command line chooses, unless the model needs more of it than being there. */
  readonly open?: (context: Context) => Promise<Store>
  /** The documents that an ambiguous id may mean, for a person to choose from. */
  readonly candidateLines?: (
    model: M,
    ids: readonly string[],
    context: Context,
  ) => Promise<readonly string[]>
}

/** Opens the store and makes the model, for as long as it is used. An ambiguous id is explained to a person. */
export async function withModel<M, T>(
  context: Context,
  { make, open, candidateLines }: Model<M>,
  use: (model: M) => Promise<T>,
): Promise<T> {
  const { out } = context
  await using store = await (open ? open(context) : context.openStore())
  const model = await make(store, (warning) => out.warn(warning))
  try {
    return await use(model)
  } catch (error) {
    if (!candidateLines || out.isJson || !(error instanceof Refusal)) throw error
    const { kind, candidates, count = 0 } = error
    if (kind !== 'ambiguous' || candidates === undefined) throw error
    const isCut = candidates.length < count
    throw new ExplainedError(error, [
      ...(await candidateLines(model, candidates, context)),
      ...(isCut ? [`${candidates.length} of ${count}`] : []),
    ])
  }
}

/** The documents that can be read, and the ids of the others. */
export async function readableOf<D>(
  ids: readonly string[],
  get: (id: string) => Promise<D>,
): Promise<{ readable: D[]; unreadable: string[] }> {
  const found = await Promise.all(ids.map((id) => get(id).catch(() => null)))
  return {
    readable: found.filter((document) => document !== null) as D[],
    unreadable: ids.filter((_, at) => found[at] === null),
  }
}

/**
 * Changes one thing after the other. What one refuses, because of its state or because somebody else was faster, does
 * not keep the others from their turn; a store that fails does. The caller reports what was done, then throws.
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
