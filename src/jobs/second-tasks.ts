import { type Collection, CorruptDocumentError, pooled } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { idIn } from './indexes.ts'
import { idemKeyOf } from './keys.ts'
import { isTerminal, type StoredTask } from './task.ts'

/**
 * Tasks that are yet to be done, and whose key stands for another task. Where key and task are written one after the other,
 * a submitter that stalls in between, and dies before it can look again, leaves one: others had brought, finished and
 * deleted the task before, and submitted the next one. Later submissions of the key get that one.
 */
export class SecondTasks {
  readonly #store: Store
  readonly #tasks: Collection<StoredTask>

  constructor(store: Store, tasks: Collection<StoredTask>) {
    this.#store = store
    this.#tasks = tasks
  }

  /** Deletes those among the given tasks, also where a worker has one; says how many there were. */
  async remove(ids: readonly string[], { dryRun = false }): Promise<number> {
    const isRemoved = await pooled(ids, async (id) => {
      const isSecond = await this.#isSecond(id)
      return isSecond && (dryRun || this.#delete(id))
    })
    return isRemoved.filter(Boolean).length
  }

  async #isSecond(id: string): Promise<boolean> {
    const task = await this.#find(id)
    if (task === null || isTerminal(task) || task.idempotencyKey === null) return false
    const entry = await this.#store.get(idemKeyOf(task.idempotencyKey))
    const holder = entry && idIn(entry)
    if (holder === null || holder === id) return false
    // A key that stands for no task is stale: then this task gets it.
    return (await this.#find(holder))?.idempotencyKey === task.idempotencyKey
  }

  async #delete(id: string): Promise<boolean> {
    try {
      const checkOpen = (task: StoredTask) => {
        if (isTerminal(task)) throw hasEnded
      }
      return (await this.#tasks.delete(id, checkOpen)) !== null
    } catch (error) {
      if (error === hasEnded || error instanceof CorruptDocumentError) return false
      throw error
    }
  }

  async #find(id: string): Promise<StoredTask | null> {
    try {
      return (await this.#tasks.get(id))?.value ?? null
    } catch (error) {
      if (error instanceof CorruptDocumentError) return null
      throw error
    }
  }
}

const hasEnded = Symbol('the task has ended')
