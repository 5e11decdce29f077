import { one, operationsOf, optional } from '../schema/index.ts'
import { given, taskShape } from './shapes.ts'
import type { TaskTree } from './task-tree.ts'

/** In which versions of a task it is to be changed. */
export interface InVersion {
  readonly version?: readonly number[]
}

export const row = operationsOf<TaskTree, InVersion>()

/** Who changes things where nobody says. */
export const byOf = (agent = 'user', on: InVersion = {}) => ({ agent, ...on })

export const reason = { reason: optional(given.reason) }

/** What changes one task, and answers with it. */
export const changing = { output: one(taskShape), heedsState: true } as const

export const missing = ['TASK_NOT_FOUND']
