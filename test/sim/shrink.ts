import { sortOf } from './findings.ts'
import type { Step } from './model.ts'
import { type Outcome, type RunOptions, run } from './run.ts'

const runsMax = 300

/** Leaves out steps, many at a time and then one by one, as long as what is left still fails in the same way. */
export async function shrink(
  options: RunOptions,
  failed: Outcome,
): Promise<{ steps: readonly Step[]; last: Outcome }> {
  let steps = failed.steps
  let runs = 0
  const sort = sortOf(failed.violations[0] as string)
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < steps.length && runs < runsMax; ) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)]
      runs++
      const isFailing =
        fewer.length > 0 &&
        (await run({ ...options, steps: fewer, traced: false })).violations.some(
          (violation) => sortOf(violation) === sort,
        )
      if (isFailing) steps = fewer
      else at += size
    }
  return { steps, last: await run({ ...options, steps, traced: true }) }
}
