import { type Head, namespaceOf, type Store, StoreError, type Write } from '../store/internal.ts'

/** Whether the store can write all of these keys at once, or none. */
export function fitsOneCommit({ limits }: Store, keys: readonly string[]): boolean {
  if (keys.length > limits.commitWritesMax) return false
  return limits.commitSpan === 'store' || new Set(keys.map(namespaceOf)).size <= 1
}

/** Whether anything of an operation may be written already. */
export interface Progress {
  isBegun: boolean
}

/**
 * Applies writes that may each be done again, in their order: at once where the store has room for it, else
 * in as few steps as it takes. False as soon as one loses, or may have: whoever planned them looks again.
 */
export async function commitInOrder(
  store: Store,
  writes: readonly Write[],
  progress: Progress = { isBegun: false },
): Promise<boolean> {
  for (const step of stepsOf(store, writes)) {
    const isWon = await won(store, step)
    if (isWon !== false) progress.isBegun = true
    if (isWon !== true) return false
  }
  return true
}

function stepsOf({ limits }: Store, writes: readonly Write[]): Write[][] {
  const steps: Write[][] = []
  let namespace = ''
  for (const write of writes) {
    const step = steps.at(-1)
    const isNear = limits.commitSpan === 'store' || namespaceOf(write.key) === namespace
    if (step && isNear && step.length < limits.commitWritesMax) step.push(write)
    else steps.push([write])
    namespace = namespaceOf(write.key)
  }
  return steps
}

/** Applies one write that leaves something behind; null where it lost, or may have. */
export async function commitOne(store: Store, write: Write): Promise<Head | null> {
  try {
    const result = await store.commit([write])
    return result.ok ? { key: write.key, revision: result.revisions[0] as string } : null
  } catch (error) {
    if (isUnknownOutcome(error)) return null
    throw error
  }
}

/** Null where nobody knows. */
async function won(store: Store, writes: readonly Write[]): Promise<boolean | null> {
  try {
    return (await store.commit(writes)).ok
  } catch (error) {
    if (isUnknownOutcome(error)) return null
    throw error
  }
}

export const isUnknownOutcome = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.code === 'unknown_outcome'

/** What to throw where so many of several things were done, as in "3 of 5 tasks were stored", and then it failed. */
export function partlyDone(done: string, count: number, error: unknown): unknown {
  if (count === 0 || isUnknownOutcome(error)) return error
  const why = error instanceof Error ? error.message : String(error)
  const next = 'Submit all of them again with the same idempotency keys.'
  return new StoreError('lost_answer', `${done}, then the submission failed: ${why}`, next, error)
}

/**
 * What is left to do after a part of something is written, such as "Task 7 was claimed": from then on no failure of the
 * store may be taken for "nothing happened". Where the part comes with the rest, `progress` says when.
 */
export async function afterPart<T>(
  part: string,
  rest: () => Promise<T>,
  progress: Readonly<Progress> = { isBegun: true },
): Promise<T> {
  try {
    return await rest()
  } catch (error) {
    if (!(error instanceof StoreError) || error.code === 'unknown_outcome') throw error
    if (!progress.isBegun) throw error
    const what = `${part}, then the store failed: ${error.message}`
    throw new StoreError('lost_answer', what, 'Look again, then decide.', error)
  }
}
