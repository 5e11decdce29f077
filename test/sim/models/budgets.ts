import type { Budgeted } from '../budget.ts'
import { jobsBudget } from './jobs-budget.ts'

export const budgets: readonly Budgeted[] = [jobsBudget]
