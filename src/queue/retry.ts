import { kind, objectOf } from '../schema/index.ts'

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

/** More would lead to times that nobody can write. */
const intervalMsMax = 1e13

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isInterval = (value: unknown): boolean => isAmount(value) && value <= intervalMsMax

/** The last policy that was written: nearly all tasks have the same one. A copy, for others may change theirs. */
let [lastPolicy, lastJson] = [{ ...retryPolicyDefault }, jsonOf(retryPolicyDefault)]

function policyJson(policy: RetryPolicy): string {
  if (isSame(policy, lastPolicy)) return lastJson
  ;[lastPolicy, lastJson] = [{ ...policy }, jsonOf(policy)]
  return lastJson
}

const isSame = (a: RetryPolicy, b: RetryPolicy): boolean =>
  a.initial_interval_ms === b.initial_interval_ms &&
  a.max_interval_ms === b.max_interval_ms &&
  a.multiplier === b.multiplier &&
  a.jitter_percent === b.jitter_percent

function jsonOf(policy: RetryPolicy): string {
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } = policy
  return JSON.stringify({ initial_interval_ms, max_interval_ms, multiplier, jitter_percent })
}

/** How a policy is stored. */
export const retryPolicy = kind<RetryPolicy>(policySchema(), isPolicy, { json: policyJson })

function policySchema() {
  const intervalMs = { type: 'number', minimum: 0 }
  return objectOf({
    initial_interval_ms: { ...intervalMs, description: 'The wait after the first failure.' },
    max_interval_ms: { ...intervalMs, description: 'The longest wait.' },
    multiplier: { type: 'number', minimum: 1, description: 'How each wait grows.' },
    jitter_percent: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'How far a wait is spread: 0.25 is a quarter more or less.',
    },
  })
}

function isPolicy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } =
    value as Partial<RetryPolicy>
  return (
    isInterval(initial_interval_ms) &&
    isInterval(max_interval_ms) &&
    isAmount(multiplier) &&
    isAmount(jitter_percent)
  )
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
