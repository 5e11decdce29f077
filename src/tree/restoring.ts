import { CorruptDocumentError, pooled } from '../collection/index.ts'
import { type Head, remove } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import { changed, type Told, touched } from './change.ts'
import { TaskNotFoundError } from './error.ts'
import { changesOf } from './history.ts'
import { checkId } from './id.ts'
import { inDoubt } from './in-doubt.ts'
import type { TreeParts } from './parts.ts'
import { begunRestorations, noteBegun, noteDone } from './restorations.ts'
import { answeredWith, isChanged, type Task, type TaskDocument } from './task.ts'
import type { By } from './writes.ts'

/** A task that was brought back. */
export interface RestoredTask extends Task {
  /** How many tasks were brought back in all: this one, and what was hidden together with it. */
  readonly restored: number
  /** How many of them are below this one. */
  readonly restored_below: number
}

/** What the same pass of the retention hid. */
interface Pass {
  readonly id: string
  readonly at: string
  readonly told: Told
}

/**
 * Brings back a task and all that the same pass of the retention hid with it: what is below it, and what it is a part
 * of with all below that. What was hidden at another time stays hidden.
 *
 * The task itself comes first, and what is below the family's top last, as `Hiding` relies on. Who dies on the way
 * leaves some hidden, and a note: a `maintain` some minutes later brings these back, as does to restore the same task again.
 */
export async function restore(parts: TreeParts, given: string, by: By): Promise<RestoredTask> {
  const { shape, writes } = parts
  const id = checkId(given)
  const told = await writes.told(by)
  const n = await shape.structure.settled()
  let at: string | null = null
  let note: Head | null = null
  // Of this and the removal of what it is part of, one sees the other.
  const task = await writes.swapPlanned(id, by, async ({ document }) => {
    at = document.deleted_at ?? (await lastHidden(parts, document))
    if (document.deleted_at !== null)
      note = await noteBegun(parts.store, { id, at: document.deleted_at, told })
    return (now, told) => changed(now, { deleted_at: null }, told)
  })
  const own = isChanged(task) ? 1 : 0
  if (at === null) return answeredWith(task, { restored: own, restored_below: 0 }, own > 0)
  const pass = { id, at, told }
  const { others, below } = await inDoubt(async () => {
    const family = await restoreFamily(parts, pass)
    if (note) await noteDone(parts.store, note, pass)
    if (await shape.structure.isStill(n)) return family
    return {
      others: await thereOf(parts, family.others),
      below: await thereOf(parts, family.below),
    }
  })
  const restored = own + others.length + below.length
  return answeredWith(task, { restored, restored_below: below.length }, restored > 0)
}

/** What of a family is below the task that was asked for, and what is not. */
interface Family {
  readonly others: readonly string[]
  readonly below: readonly string[]
}

/** Brings back a task, and its family, if a pass has hidden it; those first on whom other passes rely. */
export async function restoreHidden(parts: TreeParts, pass: Pass): Promise<void> {
  const note = await noteBegun(parts.store, pass)
  await restoreAll(parts, [pass.id], pass)
  await restoreWhatIsThere(parts, pass)
  await noteDone(parts.store, note, pass)
}

/** Completes restorations that died on the way; answers with what that brought back. */
export async function finishRestorations(parts: TreeParts, told: Told): Promise<string[]> {
  const restored: string[] = []
  for await (const { note, isAlive, ...begun } of begunRestorations(parts.store, told)) {
    if (isAlive) continue
    const pass = { ...begun, told }
    try {
      if (await isWithdrawn(parts, pass)) await parts.store.commit([remove(note)])
      else {
        restored.push(...(await restoreWhatIsThere(parts, pass)))
        await noteDone(parts.store, note, pass)
      }
    } catch (error) {
      // A task that can't be read holds up no other; its family waits until it can.
      if (!(error instanceof CorruptDocumentError)) throw error
    }
  }
  return restored
}

/**
 * Whether a restoration has brought back nothing, or what it brought back is gone or hidden again. One that is only slow
 * must begin anew: its task is no longer as it was, and the note that it writes then is another.
 */
async function isWithdrawn({ tasks }: TreeParts, { id, at }: Pass): Promise<boolean> {
  const outcome = await tasks.change(id, (now) =>
    now.deleted_at === at && now.doomed === null ? touched(now) : now,
  )
  return outcome === null || outcome.after.deleted_at !== null
}

/** Brings back a family; nothing of one that somebody has deleted meanwhile. */
async function restoreWhatIsThere(parts: TreeParts, pass: Pass): Promise<readonly string[]> {
  try {
    const { others, below } = await restoreFamily(parts, pass)
    return [...others, ...below]
  } catch (error) {
    if (error instanceof TaskNotFoundError) return []
    throw error
  }
}

async function restoreFamily(parts: TreeParts, pass: Pass): Promise<Family> {
  const above = await familyAbove(parts, pass)
  const ids = above.filter(({ deleted_at }) => deleted_at === pass.at).map(({ id }) => id)
  const others = await restoreAll(parts, ids, pass)
  const below: string[] = []
  const own = new Set([pass.id])
  for await (const { documents } of parts.shape.below(above.at(-1)?.id ?? pass.id)) {
    for (const { id, parent_id } of documents) if (own.has(parent_id ?? '')) own.add(id)
    const hidden = documents.filter(({ deleted_at }) => deleted_at === pass.at)
    const done = await restoreAll(
      parts,
      hidden.map(({ id }) => id),
      pass,
    )
    for (const id of done) (own.has(id) ? below : others).push(id)
  }
  return { others, below }
}

/** The ancestors that the same pass hid, from the parent on; also those that somebody has brought back meanwhile. */
async function familyAbove(parts: TreeParts, { id, at }: Pass): Promise<TaskDocument[]> {
  const { ancestors } = await parts.writes.present(id)
  const above: TaskDocument[] = []
  for (const ancestor of ancestors) {
    if ((ancestor.deleted_at ?? (await lastHidden(parts, ancestor))) !== at) break
    above.push(ancestor)
  }
  return above
}

/** Whether the pass that hid a task hid its parent as well, and somebody has brought back the parent since. */
export async function isLeftHidden(parts: TreeParts, task: TaskDocument): Promise<boolean> {
  const [parent] = task.parent_id === null ? [] : await parts.tasks.getAll([task.parent_id])
  if (!parent || parent.value.deleted_at !== null) return false
  return (await lastHidden(parts, parent.value)) === task.deleted_at
}

/** When a task was hidden that has been brought back since; null where it never was. */
async function lastHidden({ store }: TreeParts, document: TaskDocument): Promise<string | null> {
  const changes = await changesOf(store, document)
  const restored = changes
    .flatMap(({ fields }) => fields)
    .findLast(({ field }) => field === 'deleted_at')
  return restored?.old_value || null
}

/** Brings back those that are still hidden by the pass; answers with them. */
async function restoreAll(
  { tasks }: TreeParts,
  ids: readonly string[],
  { at, told }: Pass,
): Promise<string[]> {
  const done = await pooled(ids, async (id) => {
    const outcome = await tasks.change(id, (now) =>
      now.deleted_at === at && now.doomed === null ? changed(now, { deleted_at: null }, told) : now,
    )
    return outcome !== null && outcome.before !== outcome.after
  })
  return ids.filter((_, nth) => done[nth])
}

/** Those that a deletion has not taken meanwhile. */
async function thereOf({ tasks, shape }: TreeParts, ids: readonly string[]): Promise<string[]> {
  await shape.structure.settled()
  const documents = (await tasks.getAll(ids)).map(({ value }) => value)
  const places = await new Ancestry(tasks).placesOf(documents)
  return documents.filter((_, at) => places[at]?.isThere).map(({ id }) => id)
}
