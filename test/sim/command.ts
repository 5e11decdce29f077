import { parseArgs } from 'node:util'
import { type Kind, kinds } from './kinds.ts'
import type { Model } from './model.ts'
import { models } from './models/index.ts'
import { real } from './real.ts'
import { type Outcome, type RunOptions, run } from './run.ts'
import { shrink } from './shrink.ts'

const help = `Runs models on a simulated store in virtual time. One seed decides everything.

npm run sim -- [options]

  --model NAME    only this model; may be given again (${[...models.keys()].join(', ')})
  --store NAME    only this kind of store; may be given again (${[...kinds.keys()].join(', ')})
  --seed N        the first seed (default: drawn from the time, and named)
  --seeds N       how many seeds, on each kind of store (default 1 with --seed, otherwise 200)
  --minutes N     stop after so long; without --seeds, run until then
  --first         stop at the first violation
  -v, --verbose   print every step of every run
  --bugs [NAME…]  put each bug of test/sim/bugs into a copy of the sources, and see it found

Exits with 1 where something was violated. The last line is "N seeds, M violations".
`
const seedsDefault = 200

const say = (text: string): void => void process.stdout.write(`${text}\n`)

interface Choice {
  readonly models: readonly Model[]
  readonly kinds: readonly Kind[]
  readonly first: number
  readonly many: number
  readonly endMs: number
  readonly isVerbose: boolean
  readonly isUntilFirst: boolean
}

export async function command(args: string[]): Promise<number> {
  const choice = chosen(args)
  if (choice === null) {
    say(help.trimEnd())
    return 0
  }
  let [count, violations] = [0, 0]
  const startedAt = real.now()
  for (const options of runs(choice)) {
    if (real.now() >= choice.endMs) break
    count++
    if (await isFine(options, choice.isVerbose)) continue
    violations++
    if (choice.isUntilFirst) break
  }
  const perSecond = Math.round((1000 * count) / (real.now() - startedAt))
  say(`Seeds from ${choice.first}, ${perSecond} runs a second.`)
  say(`${count} seeds, ${violations} violations`)
  return violations === 0 ? 0 : 1
}

function chosen(args: string[]): Choice | null {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', multiple: true },
      store: { type: 'string', multiple: true },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      first: { type: 'boolean' },
      verbose: { type: 'boolean', short: 'v' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return null
  const { seed, seeds, minutes } = values
  const unlimited = minutes === undefined ? seedsDefault : Number.MAX_SAFE_INTEGER
  return {
    models: named('model', models, values.model),
    kinds: named('kind of store', kinds, values.store),
    first: seed === undefined ? Math.floor(real.Date.now() % 1e9) * 1e4 : numberOf('seed', seed),
    many: seeds ? numberOf('seeds', seeds) : seed === undefined ? unlimited : 1,
    endMs: minutes ? real.now() + numberOf('minutes', minutes) * 60_000 : Number.POSITIVE_INFINITY,
    isVerbose: values.verbose === true,
    isUntilFirst: values.first === true,
  }
}

/** Seed by seed on all, so that whatever ends early has looked at all of them. */
function* runs({ models, kinds, first, many, isVerbose: traced }: Choice): Generator<RunOptions> {
  for (let seed = first; seed < first + many; seed++)
    for (const model of models) for (const kind of kinds) yield { model, kind, seed, traced }
}

async function isFine(options: RunOptions, isVerbose: boolean): Promise<boolean> {
  const outcome = await run(options)
  if (isVerbose) {
    for (const line of outcome.trace) say(line)
    const { model, kind, seed } = options
    say(`${model.name} on ${kind.name}, seed ${seed}: ${outcome.events} events`)
  }
  if (outcome.violations.length > 0) await tell(options, outcome)
  return outcome.violations.length === 0
}

/** The seed, what went wrong, and the fewest steps with which it still does. */
async function tell(options: RunOptions, outcome: Outcome): Promise<void> {
  const { model, kind, seed } = options
  say(`VIOLATION: --model ${model.name} --store ${kind.name} --seed ${seed}`)
  for (const violation of outcome.violations.slice(0, 3)) say(`  ${violation}`)
  const { steps, last } = await shrink(options, outcome)
  say(`  ${steps.length} of ${outcome.steps.length} steps are enough:`)
  for (const line of last.trace) say(`    ${line}`)
  say('  The state before and after the violation:')
  for (const line of last.state) say(`    ${line}`)
}

function named<T>(what: string, all: ReadonlyMap<string, T>, names?: readonly string[]): T[] {
  return (names ?? [...all.keys()]).map((name) => {
    const one = all.get(name)
    if (!one) throw new Error(`There is no ${what} ${name}, only ${[...all.keys()].join(', ')}.`)
    return one
  })
}

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (!(number >= 0) || (name !== 'minutes' && !Number.isSafeInteger(number)))
    throw new Error(`--${name} takes a number, not ${text}.`)
  return number
}
