import { parseArgs } from 'node:util'
import { type Bill, bills, shownCosts } from './budget.ts'
import { kinds } from './kinds.ts'
import { budgets } from './models/budgets.ts'
import { named, numberOf } from './usage.ts'

const crowdDefault = 100_000

/** Prints what each operation costs next to many other tasks, and its budget where that is less. */
export async function checkBudgets(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string', multiple: true },
      crowd: { type: 'string' },
      verbose: { type: 'boolean', short: 'v' },
    },
  })
  const count = values.crowd === undefined ? crowdDefault : numberOf('crowd', values.crowd)
  const byName = new Map(budgets.map((model) => [model.name, model]))
  const chosen = named('model with budgets', byName, values.model)
  let [checked, over] = [0, 0]
  for (const model of chosen)
    for (const bill of await bills(model, [...kinds.values()], count)) {
      checked++
      if (bill.isOver) over++
      if (bill.isOver || values.verbose) tell(model.name, bill)
    }
  process.stdout.write(
    `${checked} operations next to ${count} other tasks, ${over} over their budgets\n`,
  )
  return over === 0 ? 0 : 1
}

function tell(model: string, { what, kind, costs, budget, isOver }: Bill): void {
  process.stdout.write(`${model} on ${kind}, ${what}: ${shownCosts(costs)}\n`)
  if (isOver) process.stdout.write(`  OVER ITS BUDGET of ${shownCosts(budget)}\n`)
}
