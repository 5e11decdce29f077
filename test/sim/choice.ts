import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Kind, kinds } from './kinds.ts'
import type { Model } from './model.ts'
import { models } from './models/index.ts'
import { real } from './real.ts'
import type { RunOptions } from './run.ts'
import { named, numberOf } from './usage.ts'

export const help = `Runs models on a simulated store in virtual time. One seed decides everything.

npm run sim -- [options]

  --model NAME    only this model; may be given again (${[...models.keys()].join(', ')})
  --store NAME    only this kind of store; may be given again (${[...kinds.keys()].join(', ')})
  --seed N        the first seed (default: drawn from the time, and named)
  --seeds N       how many seeds, on each kind of store (default 1 with --seed, otherwise 200)
  --minutes N     stop after so long; without --seeds, run until then
  --jobs N        so many processes at a time (default: one for each core)
  --first         stop at the first violation
  -v, --verbose   print every step of every run
  --budgets       compare what each operation costs with its budget, also next to 100,000 other tasks
  --bugs [NAME…]  put each bug of test/sim/bugs into a copy of the sources, and see it found

Exits with 1 where something was violated, and with 2 for wrong options or where the simulator itself failed.
The last line is "N seeds, M violations".
`
const seedsDefault = 200

/** What the command line asks for. */
export interface Choice {
  readonly models: readonly Model[]
  readonly kinds: readonly Kind[]
  readonly first: number
  readonly many: number
  readonly minutes: number
  readonly jobs: number
  readonly isVerbose: boolean
  readonly isUntilFirst: boolean
}

/** Null where it asks for help. */
export function chosen(args: readonly string[]): Choice | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string', multiple: true },
      store: { type: 'string', multiple: true },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      jobs: { type: 'string' },
      first: { type: 'boolean' },
      verbose: { type: 'boolean', short: 'v' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return null
  const { seed, seeds, minutes, jobs } = values
  const unlimited = minutes === undefined ? seedsDefault : Math.floor(Number.MAX_SAFE_INTEGER / 1e6)
  return {
    models: named('model', models, values.model),
    kinds: named('kind of store', kinds, values.store),
    first: seed === undefined ? Math.floor(real.Date.now() % 1e9) * 1e4 : numberOf('seed', seed),
    many:
      seeds !== undefined
        ? numberOf('seeds', seeds, 1)
        : seed === undefined || minutes !== undefined
          ? unlimited
          : 1,
    minutes: minutes !== undefined ? numberOf('minutes', minutes) : Number.POSITIVE_INFINITY,
    jobs: jobs !== undefined ? numberOf('jobs', jobs, 1) : availableParallelism(),
    isVerbose: values.verbose === true,
    isUntilFirst: values.first === true,
  }
}

export const runCount = ({ models, kinds, many }: Choice): number =>
  many * models.length * kinds.length

/** Seed by seed on all, so that whatever ends early has looked at all of them. */
export function runAt({ models, kinds, first, isVerbose }: Choice, at: number): RunOptions {
  const [model, kind] = [
    models[Math.floor(at / kinds.length) % models.length] as Model,
    kinds[at % kinds.length] as Kind,
  ]
  const seed = first + Math.floor(at / (kinds.length * models.length))
  return { model, kind, seed, traced: isVerbose }
}
