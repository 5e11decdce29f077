import {
  type Collection,
  commitInOrder,
  encodeText,
  type Mark,
  pooled,
} from '../collection/index.ts'
import { compete, create, lost, remove, type Store } from '../store/internal.ts'
import { byCreation, byStatus, idIn } from './indexes.ts'
import { taskKeyOf } from './keys.ts'
import { isTerminal, type StoredTask } from './task.ts'

export const marksOf = (task: StoredTask): Mark[] =>
  [byCreation, byStatus].flatMap((index) => [...index.marks(task.id, task)])

/**
 * Makes sure that a key stands for a task that was created under it. While it stood without a task, others may have brought,
 * finished and deleted the task before us, and the key may be another's by now.
 */
export class KeyHolder {
  readonly #store: Store
  readonly #tasks: Collection<StoredTask>

  constructor(store: Store, tasks: Collection<StoredTask>) {
    this.#store = store
    this.#tasks = tasks
  }

  /** Where the key stands for no task, it is made to stand for this one. Where it is another's, this one is deleted: false. */
  holds(key: string, task: StoredTask): Promise<boolean> {
    return compete(key, async () => {
      const entry = await this.#store.get(key)
      if (entry && idIn(entry) === task.id) return true
      const document = await this.#tasks.get(task.id)
      // It was done meanwhile, and deleted, or is just being deleted.
      if (document === null || isTerminal(document.value)) return true
      if (entry === null) return this.#restore(task, key)
      // The key is another task's, which is the one to do; also where a worker has just got ours.
      await this.#tasks.delete(task.id)
      return false
    })
  }

  putMarks(task: StoredTask): Promise<unknown> {
    return pooled(marksOf(task), (mark) =>
      compete(mark.name, async () =>
        (await commitInOrder(this.#store, await mark.put(this.#store, false))) ? undefined : lost,
      ),
    )
  }

  /** Somebody took the key away from a task that is yet to be done. */
  async #restore(task: StoredTask, key: string): Promise<true | typeof lost> {
    const result = await this.#store.commit([create(key, encodeText(task.id))])
    if (!result.ok) return lost
    // Whoever deleted an earlier task with this id may be about to take away what are marks of ours now.
    await this.putMarks(task)
    if ((await this.#store.get(taskKeyOf(task.id))) === null)
      await this.#store.commit([remove({ key, revision: result.revisions[0] as string })])
    return true
  }
}
