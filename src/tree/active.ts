import { pooled } from '../collection/index.ts'
import { eventLoopTurn, type Store } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import type { Tasks } from './documents.ts'
import { noParent, prefixes } from './keys.ts'
import { isActive } from './status.ts'
import type { TaskDocument } from './task.ts'

/**
 * Which tasks have something active below them. The entries of active tasks name their parents; from those
 * the chains are walked up, each ancestor once. So it costs what is active and its ancestors, not what else
 * there is; and nothing is kept about ancestors that a move could make wrong.
 */
export class ActiveBelow {
  /** An active task below each of these. */
  readonly #above: ReadonlyMap<string, string>

  private constructor(above: ReadonlyMap<string, string>) {
    this.#above = above
  }

  static async read(store: Store, tasks: Tasks): Promise<ActiveBelow> {
    const byParent = new Map<string, string[]>()
    for await (const { key } of store.list(prefixes.active)) {
      const [parent, id] = key.slice(prefixes.active.length + 1).split('/') as [string, string]
      if (parent === noParent) continue
      const siblings = byParent.get(parent)
      if (siblings) siblings.push(id)
      else byParent.set(parent, [id])
    }
    const firsts = await pooled([...byParent], ([parentId, ids]) =>
      firstActive(tasks, parentId, ids),
    )
    const active = firsts.filter((task) => task !== null)
    const ancestry = new Ancestry(tasks)
    const places = await ancestry.placesOf(active)
    const above = new Map<string, string>()
    for (const [at, task] of active.entries()) {
      if (!places[at]?.isThere) continue
      for (let up = ancestry.parentOf(task); up && !above.has(up.id); up = ancestry.parentOf(up)) {
        const turn = eventLoopTurn()
        if (turn) await turn
        above.set(up.id, task.id)
      }
    }
    return new ActiveBelow(above)
  }

  /** An active task below this one, or null. */
  below(id: string): string | null {
    return this.#above.get(id) ?? null
  }
}

/** An entry is a hint: one of these that really is active and there. One is enough. */
async function firstActive(
  tasks: Tasks,
  parentId: string,
  ids: readonly string[],
): Promise<TaskDocument | null> {
  for (const id of ids) {
    const [document] = await tasks.getAll([id])
    const task = document?.value
    if (task?.parent_id === parentId && isActive(task.status) && task.doomed === null) return task
  }
  return null
}
