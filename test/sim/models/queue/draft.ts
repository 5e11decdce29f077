import type { Submission } from '../../../../src/queue/index.ts'
import type { Random } from '../../random.ts'
import type { Tools } from './handlers.ts'
import { types } from './staff.ts'

/** A submission, and the mark by which its task is known. */
interface Draft {
  readonly submission: Submission
  readonly mark: string
}

export function drawDraft(
  random: Random,
  { scene }: Tools,
  mark: string,
  more: Partial<Submission>,
): Draft {
  const isSlow = scene.kind.latencyMs[1] > 1_000
  const submission = {
    type: random.pick(types),
    input: { mark, dice: random.int(0, 2 ** 31) },
    timeoutMs: random.pick(isSlow ? [10_000, 20_000] : [1_000, 2_000, 5_000]),
    maxRetries: random.pick([0, 1, 2, 3]),
    retryPolicy: {
      initial_interval_ms: random.pick([0, 100, 2_000]),
      max_interval_ms: random.pick([500, 5_000]),
      multiplier: random.pick([1, 2, 3]),
      jitter_percent: random.pick([0, 0.25, 0.5]),
    },
    ...more,
  }
  return { submission, mark }
}
