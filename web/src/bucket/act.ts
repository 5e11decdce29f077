import type { Stored } from '../../../src/queue/document.ts'
import { taskKeyOf } from '../../../src/queue/keys.ts'
import { apply } from '../../../src/queue/rules.ts'
import type { Task } from '../../../src/queue/task.ts'
import { storeNow } from '../clock.ts'
import { Failure } from '../source/failure.ts'
import type { QueueAction } from '../source/source.ts'
import type { Client } from './client.ts'
import { type Entry, entriesOf, newWriteId, parsed, written, writtenEntry } from './documents.ts'

export const nameOf = (id: string): string => taskKeyOf(id).slice('qo/'.length)

const conditionOf = (etag: string | null): Record<string, string> =>
  etag === null
    ? { 'If-None-Match': '*' }
    : { 'If-Match': etag, 'x-amz-meta-holdfast-after': etag.replaceAll('"', '') }

/**
 * Changes a task as the queue does: by its rules, entries of indexes that are new first, then the task on the condition
 * that it is what was seen, then entries that are stale. Where another was faster, nothing is changed.
 */
export async function act(
  client: Client,
  id: string,
  action: QueueAction,
  seenEtag: string | null,
): Promise<Task> {
  const found = await client.get(nameOf(id))
  if (found === null)
    throw new Failure('missing', `Task ${id} was deleted.`, 'Go back to the list.')
  if (seenEtag !== null && found.etag !== seenEtag) throw overtaken()
  const stored = parsed(found.text, id)
  const task = after(stored.task, action)
  if (task === stored.task) return task
  const next: Stored = { ...stored, task }
  const [old, wanted] = [entriesOf(id, stored), entriesOf(id, next)]
  const isIn = (entries: readonly Entry[], { name }: Entry) =>
    entries.some((each) => each.name === name)
  for (const entry of wanted) await putEntry(client, entry)
  // Seen before the swap which makes them stale: whoever wants them again writes them anew, and their removal loses.
  const stale: [Entry, string][] = []
  for (const entry of old.filter((each) => !isIn(wanted, each))) {
    const etag = await client.stateOf(entry.name)
    if (etag !== null) stale.push([entry, etag])
  }
  const writeId = newWriteId()
  const isDone = await client.put(nameOf(id), written(next, writeId), {
    ...conditionOf(found.etag),
    'Content-Type': 'application/json',
    'x-amz-meta-holdfast-write': writeId,
  })
  if (!isDone) throw overtaken()
  for (const [entry, etag] of stale) await removeEntry(client, entry, etag)
  return task
}

function after(task: Task, action: QueueAction): Task {
  try {
    return apply(action, task, { nowMs: storeNow() })
  } catch (error) {
    const { what, next } = error as { what?: string; next?: string }
    throw new Failure(
      'conflict',
      what ?? (error as Error).message,
      next ?? 'Look at its state now, and decide again.',
    )
  }
}

const overtaken = (): Failure =>
  new Failure(
    'conflict',
    'Somebody else changed the task meanwhile.',
    'Look at its state now, and decide again.',
  )

const entryAttempts = 5

/** An entry that is there already is written anew, so that whoever is about to remove it loses. */
async function putEntry(client: Client, entry: Entry): Promise<void> {
  for (let attempt = 0; attempt < entryAttempts; attempt++) {
    const writeId = newWriteId()
    const isDone = await client.put(entry.name, writtenEntry(entry, writeId), {
      ...conditionOf(await client.stateOf(entry.name)),
      'Content-Type': 'application/octet-stream',
      'x-amz-meta-holdfast-write': writeId,
    })
    if (isDone) return
  }
  throw overtaken()
}

/** As an empty object, on the condition that it is what was seen: not every server deletes by condition. */
async function removeEntry(client: Client, { name }: Entry, etag: string): Promise<void> {
  const headers = { ...conditionOf(etag), 'x-amz-meta-holdfast-write': newWriteId() }
  // It may stay: readers take entries for hints, and the monitor sweeps.
  await client.put(name, '', headers).catch(() => false)
}
