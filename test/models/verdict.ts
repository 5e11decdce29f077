import type { Step } from '../doomed.ts'

/** What is wrong, each in words. */
export interface Verdict {
  /** What was acknowledged, and is not there. */
  readonly lost: readonly string[]
  /** What two held at the same time, or what was done twice. */
  readonly doubles: readonly string[]
  /** Whatever else must not be. */
  readonly wrong: readonly string[]
}

/** States that a thing may be in, by steps in their order: one after each that was acknowledged, one more for each that may be. */
export function possible<S>(first: S, steps: readonly Step[], after: (step: Step) => S): Set<S> {
  let states = new Set([first])
  for (const step of steps) {
    if (step.outcome === 'done') states = new Set([after(step)])
    if (step.outcome === 'unknown') states.add(after(step))
  }
  return states
}

/** Steps by something of theirs. */
export const stepsBy = (
  steps: readonly Step[],
  of: (step: Step) => string | undefined,
): Map<string, Step[]> => {
  const by = new Map<string, Step[]>()
  for (const step of steps) {
    const name = of(step)
    if (name !== undefined) by.set(name, [...(by.get(name) ?? []), step])
  }
  return by
}

/** What is wrong with creations by a unique text: those acknowledged once, those in doubt at most once, others never. */
export function createdVerdict(
  creations: readonly Step[],
  found: ReadonlyMap<string, number>,
): Verdict {
  const count = ({ text }: Step) => found.get(text as string) ?? 0
  const told = (step: Step) => `${step.what} ${step.text}: ${step.outcome}, found ${count(step)}`
  const isNone = ({ outcome }: Step) => outcome === 'refused' || outcome === 'unavailable'
  return {
    lost: creations.filter((step) => step.outcome === 'done' && count(step) === 0).map(told),
    doubles: creations.filter((step) => count(step) > 1).map(told),
    wrong: creations.filter((step) => isNone(step) && count(step) > 0).map(told),
  }
}

export const together = (...verdicts: readonly Verdict[]): Verdict => ({
  lost: verdicts.flatMap(({ lost }) => lost),
  doubles: verdicts.flatMap(({ doubles }) => doubles),
  wrong: verdicts.flatMap(({ wrong }) => wrong),
})

/** Writes that were acknowledged; to look, and to run a handler, is none. */
export const acknowledgedIn = (steps: readonly Step[]): Step[] =>
  steps.filter(({ what, id, outcome }) => outcome === 'done' && id !== undefined && what !== 'run')

/** How often each occurs. */
export function counted(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** A process did not run, so its leases may have run out. */
export interface Pause {
  readonly by: string
  readonly from: number
  readonly to: number
}

/** Those that processes noticed themselves. */
export const stallsIn = (steps: readonly Step[]): readonly Pause[] =>
  steps.filter(({ what }) => what === 'stalled')

/** Whether the next may have begun as it did: after this one's end, or once the process of this one was stopped. */
export const isTakenOver = (
  { by, from, to }: Step,
  next: Step,
  pauses: readonly Pause[],
): boolean => {
  const during = pauses.filter((pause) => pause.by === by && pause.from < to && pause.to > from)
  return next.from >= to || during.some((pause) => next.from > pause.from)
}

/** When each had a task, for who looks for the reason. */
export const toldTimes = (steps: readonly Step[], pauses: readonly Pause[]): string => {
  const first = Math.min(...steps.map(({ from }) => from))
  const told = ({ by, from, to }: Pause): string =>
    `${by} ${Math.round(from - first)} to ${Math.round(to - first)}`
  return `held: ${steps.map(told).join(', ')}; stopped: ${pauses.map(told).join(', ')}`
}
