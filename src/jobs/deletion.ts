import {
  afterPart,
  type Collection,
  type Condition,
  CorruptDocumentError,
  commitInOrder,
} from '../collection/index.ts'
import { compete, lost, remove, type Store } from '../store/internal.ts'
import { ChangedMeanwhileError } from './error.ts'
import { byKey, idIn } from './indexes.ts'
import { idemKeyOf } from './keys.ts'
import { apply } from './rules.ts'
import { checkState } from './state.ts'
import type { StoredTask } from './task.ts'

/** A task, the entry of its key, and one mark in each of two indexes. */
const writesPerTask = 4

/**
 * Deletes tasks. The key goes first, so that none stands for a task that is gone; in the same commit where there is room.
 * Elsewhere the task is marked before its key goes: once that is free there may be another task with it, so nobody may
 * claim or retry this one any more.
 */
export class Deletion {
  readonly #store: Store
  readonly #tasks: Collection<StoredTask>
  readonly #checkContent: (task: StoredTask) => void

  /** `tasks` are all, whatever they contain; `checkContent` throws where that is not what the users here expect. */
  constructor(
    store: Store,
    tasks: Collection<StoredTask>,
    checkContent: (task: StoredTask) => void,
  ) {
    this.#store = store
    this.#tasks = tasks
    this.#checkContent = checkContent
  }

  /** False where there is no such task. What can't be read goes as well, unless a state is asked for. */
  async delete(id: string, on: Condition): Promise<boolean> {
    try {
      return await this.#deleteStored(id, on)
    } catch (error) {
      if (!(error instanceof CorruptDocumentError)) throw error
      if (on.state !== undefined) throw new ChangedMeanwhileError(id, 'unreadable')
      for await (const { id: other, mark } of byKey.standing(this.#store))
        if (other === id) await commitInOrder(this.#store, await mark.drop(this.#store))
      await afterPart(`The key of task ${id} was freed`, () => this.#tasks.discard(id))
      return true
    }
  }

  async #deleteStored(id: string, on: Condition): Promise<boolean> {
    const remove = async () =>
      (await this.#tasks.delete(id, (task) => void this.#checked(task, on))) !== null
    if (this.#store.limits.commitWritesMax >= writesPerTask) return remove()
    const outcome = await this.#tasks.change(id, (task) => {
      const doomed = this.#checked(task, on)
      return task.idempotencyKey === null ? task : doomed
    })
    if (outcome === null) return false
    const { idempotencyKey } = outcome.after
    if (idempotencyKey === null) return remove()
    return afterPart(`The deletion of task ${id} was begun`, async () => {
      await this.#freeKey(id, idemKeyOf(idempotencyKey))
      return remove()
    })
  }

  /** What is deleted, so marked. Throws where it must not be. */
  #checked(task: StoredTask, on: Condition): StoredTask {
    checkState(task, on)
    return apply('delete', task, { isUnreadable: this.#isUnreadable(task) })
  }

  #freeKey(id: string, key: string): Promise<void> {
    return compete(key, async () => {
      const entry = await this.#store.get(key)
      if (entry === null || idIn(entry) !== id) return
      return (await commitInOrder(this.#store, [remove(entry)])) ? undefined : lost
    })
  }

  #isUnreadable(task: StoredTask): boolean {
    try {
      this.#checkContent(task)
      return false
    } catch {
      return true
    }
  }
}
