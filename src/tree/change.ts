import { toldFields } from './fields.ts'
import type { Change, FieldChange, TaskDocument } from './task.ts'

/** Who changes a task, and when. */
export interface Told {
  readonly by: string
  readonly at: string
}

/** What was said about a change of status. */
export interface Note {
  /** Why it was done. */
  readonly reason?: string | undefined
  /** What was done, in short. */
  readonly summary?: string | undefined
  /** What came of it; anything that JSON can hold. */
  readonly result?: unknown
}

type Edit = Partial<Omit<TaskDocument, 'id' | 'change' | 'previous'>>

/** A task after a change; the same task where that changes nothing. */
export function changed(
  task: TaskDocument,
  edit: Edit,
  told: Told,
  { note = {}, via }: { note?: Note; via?: string } = {},
): TaskDocument {
  const after = { ...task, ...edit }
  const fields = toldFields.flatMap((field): FieldChange[] => {
    const [old_value, new_value] = [textOf(task[field]), textOf(after[field])]
    if (old_value === new_value) return []
    return [{ field, old_value, new_value, ...(field === 'status' ? note : {}) }]
  })
  if (fields.length === 0 && via === undefined && edit.doomed === undefined) return task
  return { ...after, updated_at: told.at, ...numbered(task, { ...told, fields }, via) }
}

/** The same task in a new state: whoever is about to change it as it was must begin anew. */
export const touched = (task: TaskDocument): TaskDocument => {
  const { at, by } = task.change
  return { ...task, ...numbered(task, { at, by, fields: [] }) }
}

const numbered = (
  { change: previous }: TaskDocument,
  { at, by, fields }: Omit<Change, 'n'>,
  via?: string,
): Pick<TaskDocument, 'change' | 'previous'> => ({
  change: { n: previous.n + 1, at, by, fields, ...(via === undefined ? {} : { via }) },
  previous,
})

function textOf(value: string | number | null | readonly string[]): string {
  // Tags have no commas.
  if (Array.isArray(value)) return value.join(',')
  return value === null ? '' : String(value)
}
