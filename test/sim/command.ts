import { parseArgs } from 'node:util'
import { kinds } from './kinds.ts'
import { models } from './models/index.ts'
import { real } from './real.ts'
import { type Outcome, type RunOptions, run } from './run.ts'
import { shrink } from './shrink.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

export async function command(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', multiple: true },
      store: { type: 'string', multiple: true },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      verbose: { type: 'boolean', short: 'v' },
    },
  })
  const chosen = values.model?.map((name) => [name, models.get(name)] as const) ?? [...models]
  const stores = values.store ?? [...kinds.keys()]
  let [count, violations] = [0, 0]
  const first =
    values.seed === undefined ? Math.floor(real.Date.now() % 1e9) * 1e4 : Number(values.seed)
  const many = Number(values.seeds ?? (values.seed === undefined ? 200 : 1))
  const end = real.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  for (const [name, model] of chosen) {
    if (!model) throw new Error(`There is no model ${name}.`)
    for (const store of stores) {
      const kind = kinds.get(store)
      if (!kind) throw new Error(`There is no store ${store}.`)
      const startedAt = real.now()
      for (let seed = first; seed < first + many && real.now() < end; seed++) {
        const options: RunOptions = { model, kind, seed, traced: values.verbose === true }
        const outcome = await run(options)
        count++
        if (values.verbose) {
          for (const line of outcome.trace) say(line)
          say(`seed ${seed}: ${outcome.events} events`)
        }
        if (outcome.violations.length === 0) continue
        violations++
        await tell(options, outcome)
      }
      const perSecond = (1000 * many) / (real.now() - startedAt)
      say(`${name} on ${store}: ${many} seeds from ${first}, ${perSecond.toFixed(0)} a second`)
    }
  }
  say(`${count} seeds, ${violations} violations`)
  return violations === 0 ? 0 : 1
}

/** The seed, what went wrong, and the fewest steps with which it still does. */
async function tell(options: RunOptions, outcome: Outcome): Promise<void> {
  const { model, kind, seed } = options
  say(`VIOLATION: --model ${model.name} --store ${kind.name} --seed ${seed}`)
  for (const violation of outcome.violations.slice(0, 3)) say(`  ${violation}`)
  const { steps, last } = await shrink(options, outcome)
  say(`  ${steps.length} of ${outcome.steps.length} steps are enough:`)
  for (const line of last.trace) say(`    ${line}`)
  say('  On the disk at the violation:')
  for (const line of last.disk) say(`    ${line}`)
}
