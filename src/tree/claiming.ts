import type { Note } from './change.ts'
import { withTags } from './tags.ts'
import { type Task, taskOf } from './task.ts'
import { checkClaimable, claim, isAlready } from './verbs.ts'
import type { By, Writes } from './writes.ts'

/** Says which grimoire a task is to be worked on with, when it is claimed. */
export type SelectGrimoire = (
  task: Task,
  parent: Task | null,
) => string | null | Promise<string | null>

/** How a task is claimed. */
export interface Taking {
  readonly tags?: readonly string[]
  readonly note?: Note
  /** Whether it is fine that this agent has it already. */
  readonly mayBeTaken?: boolean
  readonly selectGrimoire?: SelectGrimoire | undefined
}

/** Claims a task, and notes the grimoire that was selected for it. */
export function take(
  writes: Writes,
  id: string,
  by: By,
  { tags = [], note = {}, mayBeTaken = false, selectGrimoire }: Taking,
): Promise<Task> {
  return writes.swapPlanned(id, by, async ({ document, ancestors }, told) => {
    if (mayBeTaken && isAlready(document, 'in_progress', told.by)) return (now) => now
    checkClaimable(document)
    const task = { ...document, tags: withTags(document.tags, tags) }
    const [parent] = ancestors
    const selected = await selectGrimoire?.(
      taskOf(task, ancestors.length),
      parent ? taskOf(parent, ancestors.length - 1) : null,
    )
    const grimoire = selected ?? null
    return (now, told) => claim(now, told, { tags, grimoire, note })
  })
}
