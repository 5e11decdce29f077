import { type Choice, runAt } from './choice.ts'
import { type Outcome, type RunOptions, run } from './run.ts'
import { shrink } from './shrink.ts'

/** Some of the runs that were chosen: from one number up to another, which is not included. */
export interface Part {
  readonly from: number
  readonly to: number
}

/** What became of them. */
export interface Told {
  readonly lines: readonly string[]
  readonly count: number
  readonly violations: number
  /** Of the processor. */
  readonly cpuMs: number
}

export async function perform(choice: Choice, { from, to }: Part): Promise<Told> {
  const lines: string[] = []
  let [count, violations] = [0, 0]
  const before = process.cpuUsage()
  for (let at = from; at < to; at++) {
    count++
    if (await isFine(runAt(choice, at), lines)) continue
    violations++
    if (choice.isUntilFirst) break
  }
  const { user, system } = process.cpuUsage(before)
  return { lines, count, violations, cpuMs: (user + system) / 1_000 }
}

async function isFine(options: RunOptions, lines: string[]): Promise<boolean> {
  const outcome = await run(options)
  if (options.traced) {
    lines.push(...outcome.trace)
    const { model, kind, seed } = options
    lines.push(`${model.name} on ${kind.name}, seed ${seed}: ${outcome.events} events`)
  }
  if (outcome.violations.length > 0) await tell(options, outcome, lines)
  return outcome.violations.length === 0
}

/** The seed, what went wrong, and the fewest steps with which it still does. */
async function tell(options: RunOptions, outcome: Outcome, lines: string[]): Promise<void> {
  const { model, kind, seed } = options
  lines.push(`VIOLATION: --model ${model.name} --store ${kind.name} --seed ${seed}`)
  for (const violation of outcome.violations.slice(0, 3)) lines.push(`  ${violation}`)
  const { steps, last } = await shrink(options, outcome)
  lines.push(`  ${steps.length} of ${outcome.steps.length} steps are enough:`)
  for (const line of last.trace) lines.push(`    ${line}`)
  lines.push('  The state before and after:')
  for (const line of last.state) lines.push(`    ${line}`)
}
