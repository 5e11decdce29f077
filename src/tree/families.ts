import { inTurns, pooled } from '../collection/index.ts'
import type { Shape } from './shape.ts'
import type { TaskDocument } from './task.ts'

/** What retention may do to a task, as far as the task itself says. */
type Fate = 'due' | 'neutral' | 'kept'

/** Tasks that may go with all that is below them. */
interface Families {
  /** Those of them that are below no other. */
  readonly tops: readonly TaskDocument[]
}

/**
 * Finds among tasks that are due those that have nothing below them that is kept: what is kept keeps all above it.
 * Each task is asked for its children once, however deep they lie.
 */
export async function familiesOf(
  shape: Shape,
  due: readonly TaskDocument[],
  fateOf: (task: TaskDocument) => Fate,
): Promise<Families> {
  const seen = new Map(due.map((task) => [task.id, task]))
  const keeping: string[] = []
  let level = due
  while (level.length > 0) {
    const next: TaskDocument[] = []
    await pooled(level, async ({ id }) => {
      for (const child of await shape.children(id)) {
        if (seen.has(child.id) || child.doomed !== null) continue
        if (fateOf(child) === 'kept') keeping.push(id)
        else {
          seen.set(child.id, child)
          next.push(child)
        }
      }
    })
    level = next
  }
  const kept = await allAbove(keeping, seen)
  const tops: TaskDocument[] = []
  await inTurns(due, (task) => {
    const parent = task.parent_id === null ? undefined : seen.get(task.parent_id)
    const isBelowOne = parent !== undefined && fateOf(parent) === 'due' && !kept.has(parent.id)
    if (!kept.has(task.id) && !isBelowOne) tops.push(task)
  })
  return { tops }
}

/** These and all above them, each once. */
async function allAbove(
  ids: readonly string[],
  seen: ReadonlyMap<string, TaskDocument>,
): Promise<Set<string>> {
  const kept = new Set<string>()
  await inTurns(ids, (id) => {
    for (let at = seen.get(id); at && !kept.has(at.id); ) {
      kept.add(at.id)
      at = at.parent_id === null ? undefined : seen.get(at.parent_id)
    }
  })
  return kept
}
