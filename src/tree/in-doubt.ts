import { StoreError } from '../store/index.ts'

/**
 * Runs what follows a commit. A store that fails there says that nothing happened, which is true of the last
 * step only: who asked is told to look. `isDoubtful` says whether there was such a commit.
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
