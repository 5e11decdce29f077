import { StoreError } from '../store/internal.ts'

/**
 * Runs the steps after a commit. If the store fails there it reports that nothing happened, which is true of the last
 * step only, so the caller gets `unknown_outcome`. `isDoubtful` says whether there was such a commit.
 */
export async function inDoubt<T>(
  step: () => Promise<T>,
  isDoubtful: () => boolean = () => true,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'unavailable' && isDoubtful())) throw error
    throw new StoreError(
      'lost_answer',
      `It may have been done; then the store failed: ${error.message}`,
      'Read the task, then decide.',
      error,
    )
  }
}
