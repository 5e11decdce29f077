import type { Task } from '../task.ts'

/** Why a handler is asked to stop. */
export type Ending = 'timeout' | 'cancelled' | 'shutdown' | 'lost'

/** What its signal is aborted with. */
export function reasonOf(why: Ending, { timeout_seconds }: Task): Error {
  const words: Readonly<Record<Ending, string>> = {
    timeout: `The task timed out after ${timeout_seconds} s.`,
    cancelled: 'The task was cancelled.',
    shutdown: 'The worker is shutting down.',
    lost: 'The lease was lost.',
  }
  // Who is asked to stop may want to know why.
  const error = new Error(words[why], { cause: why })
  error.name = why === 'timeout' ? 'TimeoutError' : 'AbortError'
  return error
}
