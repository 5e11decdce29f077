import type { Status, TaskType } from '../../tree/internal.ts'

// The words of the library, which is not loaded for the sake of a table of commands.
export const types = ['task', 'feature', 'bug', 'epic'] as const satisfies readonly TaskType[]
export const priorities = ['0', '1', '2', '3', '4'] as const
export const statuses = [
  'open',
  'in_progress',
  'pending_merge',
  'blocked',
  'closed',
] as const satisfies readonly Status[]

/** Tags as they are typed: `a,b`. */
export const splitTags = (given: string): string[] => given.split(',')
