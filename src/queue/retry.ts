/** How long to wait before an attempt is repeated. */
export interface RetryPolicy {
  /** The wait after the first failure. */
  readonly initial_interval_ms: number
  /** The longest wait. */
  readonly max_interval_ms: number
  /** By how much each wait is longer than the one before. */
  readonly multiplier: number
  /** 0.25 means up to a quarter more or less. */
  readonly jitter_percent: number
}

/** What holds where a submission says nothing else. */
export const retryPolicyDefault: RetryPolicy = {
  initial_interval_ms: 1_000,
  max_interval_ms: 60_000,
  multiplier: 2,
  jitter_percent: 0.25,
}

/** More than anybody waits, and less than a time can hold. */
const waitMsMax = 1e12

/**
 * The wait after a failure: it grows with each retry up to a limit, and only then is spread. `random` is from 0 up
 * to 1.
 */
export function backoffMs(policy: RetryPolicy, retryCount: number, random: number): number {
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } = policy
  // Nothing times infinity is no number.
  const grown = initial_interval_ms === 0 ? 0 : initial_interval_ms * multiplier ** retryCount
  const capped = Math.min(grown, max_interval_ms)
  const spread = Math.round(capped * (1 + jitter_percent * (2 * random - 1)))
  return Math.min(Math.max(0, spread), waitMsMax)
}
