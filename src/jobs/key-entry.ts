import { encodeText, shown } from '../collection/index.ts'
import { create, type Entry, update, type Write } from '../store/internal.ts'
import { CorruptTaskError } from './error.ts'
import { idIn } from './indexes.ts'
import { idemKeyOf } from './keys.ts'
import type { StoredTask } from './task.ts'

/** The id that the entry of a key holds. Throws {@link CorruptTaskError} where it holds none. */
export function checkedIdIn(entry: Entry): string {
  const id = idIn(entry)
  if (id !== null) return id
  const what = `What is stored at ${entry.key} is not the id of a task.`
  throw new CorruptTaskError('', what, { next: 'Remove it from the store, and the key is free.' })
}

/** Throws {@link CorruptTaskError} where the entry of a key names a task that has another one. */
export function checkSameKey({ id, idempotencyKey }: StoredTask, key: string): void {
  if (idempotencyKey === key) return
  const has = idempotencyKey === null ? 'none' : shown(idempotencyKey)
  throw new CorruptTaskError(
    id,
    `The idempotency key ${shown(key)} stands for task ${id}, which has ${has}.`,
  )
}

/** What makes the key of a task stand for it; nothing where it has none. */
export function keyWrites({ id, idempotencyKey }: StoredTask, standing: Entry | null): Write[] {
  if (idempotencyKey === null) return []
  return [
    standing ? update(standing, standing.value) : create(idemKeyOf(idempotencyKey), encodeText(id)),
  ]
}
