import { decodeText, type Holdings, type Space } from '../collection/index.ts'
import {
  dataPrefix,
  historyPrefix,
  keyOfIdempotency,
  keysPrefix,
  taskKeyOf,
  taskPath,
  tasksPrefix,
} from './keys.ts'
import { Queue } from './queue.ts'
import { Repository } from './repository.ts'
import type { Task } from './task.ts'

/** Whether the idempotency key of a task stands for another one. */
const isKeyTaken: Space['isTaken'] = async (store, { key, value }) => {
  const idempotencyKey = keyIn(value)
  const entry = idempotencyKey === null ? null : await store.get(keyOfIdempotency(idempotencyKey))
  return entry !== null && taskKeyOf(Buffer.from(entry.value).toString()) !== key
}

function keyIn(value: Uint8Array): string | null {
  try {
    return (JSON.parse(decodeText(value)) as Partial<Task>).idempotency_key ?? null
  } catch {
    return null
  }
}

const segment = (path: string, at: number): string => path.split('/')[at] ?? ''

/** A task whose history is only in the versions that a store keeps takes it along. */
const completed: Space['completed'] = async (store, entry) => {
  const id = taskPath.idOf(entry.key.slice(tasksPrefix.length + 1))
  return id === null ? null : new Repository(store, () => {}).completed(id, entry)
}

/** Workers are not among them: those that live announce themselves. */
export const holdings: Holdings = {
  model: 'queue',
  noun: 'tasks',
  spaces: [
    { prefix: tasksPrefix, isTaken: isKeyTaken, completed },
    { prefix: dataPrefix, partOf: (path) => taskKeyOf(segment(path, 1)), once: true },
    { prefix: historyPrefix, partOf: (path) => taskKeyOf(segment(path, 0)), once: true },
    { prefix: keysPrefix },
  ],
  async repair(store, options) {
    const { missing, stale, corrupt } = await new Queue(store).repair(options)
    return { drift: missing + stale, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
