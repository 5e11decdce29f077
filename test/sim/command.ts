import { type Choice, chosen, help, runCount } from './choice.ts'
import { type Part, perform, type Told } from './part.ts'
import { real } from './real.ts'
import { Workers } from './workers.ts'

/** Runs that one process does before it is given more: few enough that all end at about the same time. */
const partRunsMax = 24
/** Less than this is done before another process has begun. */
const aloneRunsMax = 2 * partRunsMax

const say = (text: string): void => void process.stdout.write(`${text}\n`)

export async function command(args: readonly string[]): Promise<number> {
  const choice = chosen(args)
  if (choice === null) {
    say(help.trimEnd())
    return 0
  }
  let [count, violations, cpuMs] = [0, 0, 0]
  for await (const told of tellings(choice, args)) {
    for (const line of told.lines) say(line)
    count += told.count
    violations += told.violations
    cpuMs += told.cpuMs
    if (choice.isUntilFirst && violations > 0) break
  }
  const perSecond = Math.round((1000 * count) / cpuMs)
  say(`Seeds from ${choice.first}, ${perSecond} runs a second of processor time.`)
  say(`${count} seeds, ${violations} violations`)
  return violations === 0 ? 0 : 1
}

async function* tellings(choice: Choice, args: readonly string[]): AsyncGenerator<Told> {
  const parts = partsOf(choice)
  if (choice.jobs === 1 || runCount(choice) <= aloneRunsMax) {
    for (const part of parts) yield await perform(choice, part)
    return
  }
  // All begin with the same seed, be it drawn from the time.
  const first = ['--seed', String(choice.first), '--seeds', String(choice.many)]
  const workers = new Workers(process.argv[1] as string, [...args, ...first], choice)
  try {
    yield* workers.perform(parts)
  } finally {
    workers.stop()
  }
}

function* partsOf(choice: Choice): Generator<Part> {
  const count = runCount(choice)
  const endMs = real.now() + choice.minutes * 60_000
  for (let from = 0; from < count && real.now() < endMs; from += partRunsMax)
    yield { from, to: Math.min(from + partRunsMax, count) }
}

/** What a process does that performs parts for another. */
export function serveParts(args: readonly string[]): void {
  const choice = chosen(args) as Choice
  process.on('message', async (part: Part) => {
    try {
      process.send?.(await perform(choice, part))
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      process.exit(2)
    }
  })
}
