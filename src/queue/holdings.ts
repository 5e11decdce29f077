import { decodeText, type Holdings, type Space } from '../collection/index.ts'
import {
  dataPrefix,
  historyPrefix,
  keyOfIdempotency,
  keysPrefix,
  taskKeyOf,
  tasksPrefix,
} from './keys.ts'
import { Queue } from './queue.ts'
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

/** Workers are not among them: those that live announce themselves. Nor is what a store keeps of versions by itself. */
export const holdings: Holdings = {
  model: 'queue',
  noun: 'tasks',
  spaces: [
    { prefix: tasksPrefix, isTaken: isKeyTaken },
    { prefix: dataPrefix, partOf: (path) => taskKeyOf(segment(path, 1)), once: true },
    { prefix: historyPrefix, partOf: (path) => taskKeyOf(segment(path, 0)), once: true },
    { prefix: keysPrefix },
  ],
  async repair(store, options) {
    const { missing, stale, corrupt } = await new Queue(store).repair(options)
    return { drift: missing + stale, left: corrupt.map((id) => `The task ${id} can't be read.`) }
  },
}
