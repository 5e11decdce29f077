import { decodeText, type Holdings, type Space } from '../collection/index.ts'
import { idIn } from './indexes.ts'
import { idemKeyOf, taskKeyOf, taskPrefix } from './keys.ts'
import type { StoredTask } from './task.ts'
import { TaskManager } from './task-manager.ts'

/** Whether the idempotency key of a task stands for another one. */
const isKeyTaken: Space['isTaken'] = async (store, { key, value }) => {
  const idempotencyKey = keyIn(value)
  const entry = idempotencyKey === null ? null : await store.get(idemKeyOf(idempotencyKey))
  if (entry === null) return false
  const id = idIn(entry)
  return id === null || taskKeyOf(id) !== key
}

function keyIn(value: Uint8Array): string | null {
  try {
    const { idempotencyKey } = JSON.parse(decodeText(value)) as Partial<StoredTask>
    return idempotencyKey ?? null
  } catch {
    return null
  }
}

/** Idempotency keys follow from the tasks that have them. */
export const holdings: Holdings = {
  model: 'jobs',
  noun: 'tasks',
  spaces: [{ prefix: taskPrefix, isTaken: isKeyTaken }],
  async repair(store, options) {
    await using manager = new TaskManager(store)
    const { missing, stale, corrupt } = await manager.repair(options)
    return { drift: missing + stale, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
