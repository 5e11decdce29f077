import { pooled } from '../collection/index.ts'
import type { Store } from '../store/index.ts'
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

  static async read(
    store: Store,
    tasks: Tasks,
    ancestry = new Ancestry(tasks),
  ): Promise<ActiveBelow> {
    const byParent = new Map<string, string[]>()
    for await (const { key } of store.list(prefixes.active)) {
      const [parent, id] = key.slice(prefixes.active.length + 1).split('/') as [string, string]
      if (parent === noParent) continue
      const siblings = byParent.get(parent)
      if (siblings) siblings.push(id)
      else byParent.set(parent, [id])
    }
    const above = new Map<string, string>()
    await pooled([...byParent], async ([parentId, ids]) => {
      const active = await firstActive(tasks, parentId, ids)
      const ancestors = active && (await ancestry.of(active))
      for (const { id } of ancestors ?? []) above.set(id, (active as TaskDocument).id)
    })
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
