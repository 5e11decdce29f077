import { type Stored, untouched } from '../../../src/queue/document.ts'
import { keepPage } from '../../../src/queue/history.ts'
import { stateOf } from '../../../src/queue/state.ts'
import { LongTrail, type MovedPages, step } from '../../../src/queue/step.ts'
import type { Task } from '../../../src/queue/task.ts'
import { storeNow } from '../clock.ts'
import { Failure } from '../source/failure.ts'
import type { QueueAction } from '../source/source.ts'
import type { Client } from './client.ts'
import {
  type Entry,
  entriesOf,
  nameOf,
  newWriteId,
  parsed,
  written,
  writtenEntry,
} from './documents.ts'
import { pagesIn } from './history.ts'

const conditionOf = (etag: string | null): Record<string, string> =>
  etag === null
    ? { 'If-None-Match': '*' }
    : { 'If-Match': etag, 'x-amz-meta-holdfast-after': etag.replaceAll('"', '') }

/** A worker that renews its lease at the same moment is no reason to give up; one is for moving a long history. */
const swapAttempts = 4

/**
 * Changes a task as the queue does: by its rules, entries of indexes that are new first, then the task on the condition
 * that it is what was read, then entries that are stale. Where it is not in the state that was seen, nothing is changed.
 */
export async function act(
  client: Client,
  id: string,
  action: QueueAction,
  seen: string | null,
): Promise<Task> {
  const moved = new Map<number, number>()
  for (let attempt = 0; attempt < swapAttempts; attempt++) {
    const found = await client.get(nameOf(id))
    if (found === null)
      throw new Failure('missing', `Task ${id} was deleted.`, 'Go back to the list.')
    const stored = parsed(found.text, id)
    if (seen !== null && stateOf(stored.task) !== seen) throw overtaken()
    const next = after(stored, action, moved)
    if (next instanceof LongTrail) {
      moved.set(next.trail.from, await keepPage(pagesIn(client, id), next.trail))
      continue
    }
    if (next === stored) return stored.task
    if (await swap(client, { before: stored, after: next }, found.etag)) return next.task
  }
  throw overtaken()
}

/** False where the task is no more what was read. */
async function swap(
  client: Client,
  { before, after }: { before: Stored; after: Stored },
  etag: string | null,
): Promise<boolean> {
  const { id } = after.task
  const [old, wanted] = [etag === null ? [] : entriesOf(id, before), entriesOf(id, after)]
  for (const entry of wanted) await putEntry(client, entry)
  // Seen before the swap which makes them stale: whoever wants them again writes them anew, and their removal loses.
  const stale: [Entry, string][] = []
  for (const entry of old.filter(({ name }) => !wanted.some((each) => each.name === name))) {
    const state = await client.stateOf(entry.name)
    if (state !== null) stale.push([entry, state])
  }
  const writeId = newWriteId()
  const isDone = await client.put(nameOf(id), written(after, writeId), {
    ...conditionOf(etag),
    'Content-Type': 'application/json',
    'x-amz-meta-holdfast-write': writeId,
  })
  if (isDone) for (const [entry, state] of stale) await removeEntry(client, entry, state)
  return isDone
}

/** A task that was not there before: its entry first, as the queue does it. */
export async function create(client: Client, task: Task): Promise<void> {
  const stored = untouched(task)
  if (await swap(client, { before: stored, after: stored }, null)) return
  throw new Failure('conflict', `Task ${task.id} already exists.`, 'Try again.')
}

function after(stored: Stored, action: QueueAction, moved: MovedPages): Stored | LongTrail {
  try {
    return step(stored, { command: [action, { nowMs: storeNow() }], on: {} }, moved)
  } catch (error) {
    if (error instanceof LongTrail) return error
    const { what, next } = error as { what?: string; next?: string }
    throw new Failure(
      'conflict',
      what ?? (error as Error).message,
      next ?? 'Check its state, then decide again.',
    )
  }
}

const overtaken = (): Failure =>
  new Failure('conflict', 'Someone else changed the task.', 'Check its state, then decide again.')

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
