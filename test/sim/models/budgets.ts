import type { Budgeted } from '../budget.ts'
import { jobsBudget } from './jobs-budget.ts'
import { listBudget } from './list-budget.ts'
import { planBudget } from './plan-budget.ts'
import { queueBudget } from './queue-budget.ts'
import { treeBudget } from './tree-budget.ts'

export const budgets: readonly Budgeted[] = [
  listBudget,
  planBudget,
  jobsBudget,
  treeBudget,
  queueBudget,
]
