import type { IndexMode, TaskStatus } from '../../queue/internal.ts'

// The words of the library, which is not loaded for the sake of a table of commands.
export const statuses = [
  'pending',
  'running',
  'completed',
  'failed',
  'archived',
  'cancelled',
] as const satisfies readonly TaskStatus[]

export const indexModes = [
  'index-only',
  'hybrid',
  'log-scan',
] as const satisfies readonly IndexMode[]
