import { pooled } from '../collection/index.ts'
import { changed, type Told } from './change.ts'
import type { Tasks } from './documents.ts'
import { familiesOf } from './families.ts'
import type { TreeParts } from './parts.ts'
import { restoreHidden } from './restoring.ts'
import type { TaskDocument } from './task.ts'

/** A task with all below it that is to be hidden with it. */
interface Family {
  readonly top: TaskDocument
  /** The time under which all of them are hidden: by it they are found again, to be restored together. */
  readonly at: string
  /** What says whether they still are to be hidden: the top, or the parent of which the pass before hid the rest. */
  readonly anchor: string
}

/** How many families are hidden before the shape is touched and each is looked at again. */
const familiesAtOnce = 500

/**
 * Hides what is due, by families: a task together with all below it, or not at all.
 *
 * - The top goes first, and with it nobody adds anything below. So a pass that dies leaves a hidden top with some left
 *   below it; the next pass hides these under the time of the top.
 * - Who was already adding something has read the number of the shape before. It is changed, and then everything below
 *   is looked at again: one of the two sees the other.
 * - Who restores the top meanwhile looks at what is below only afterwards; and here the top is looked at last. So what
 *   either misses the other brings back.
 */
export class Hiding {
  readonly #parts: TreeParts
  readonly #told: Told
  readonly #isDue: (task: TaskDocument) => boolean

  constructor(parts: TreeParts, told: Told, isDue: (task: TaskDocument) => boolean) {
    this.#parts = parts
    this.#told = told
    this.#isDue = isDue
  }

  /** Answers with the ids of all that it has hidden. */
  async run(due: readonly TaskDocument[]): Promise<string[]> {
    const { shape } = this.#parts
    const fateOf = (task: TaskDocument) =>
      this.#isDue(task) ? 'due' : task.deleted_at === null ? 'kept' : 'neutral'
    const { tops } = await familiesOf(shape, due, fateOf)
    const hidden: string[][] = []
    for (let at = 0; at < tops.length; at += familiesAtOnce) {
      const families = await this.#begun(tops.slice(at, at + familiesAtOnce))
      if (families.length > 0) await shape.structure.touch()
      const done = await pooled(families, (family) => this.#hideBelow(family))
      hidden.push(done.flat())
    }
    return hidden.flat()
  }

  /** Hides the tops. */
  async #begun(tops: readonly TaskDocument[]): Promise<Family[]> {
    const parents = tops.flatMap(({ parent_id }) => parent_id ?? [])
    const documents = await this.#parts.tasks.getAll([...new Set(parents)])
    const byId = new Map(documents.map(({ id, value }) => [id, value]))
    const families = await pooled(tops, async (top) => {
      const parent = byId.get(top.parent_id ?? '')
      const left = parent && timeLeftBehind(top, parent)
      const at = left ?? this.#told.at
      if (!(await this.#hide(top.id, at))) return null
      return { top, at, anchor: left ? parent.id : top.id }
    })
    return families.filter((family) => family !== null)
  }

  async #hideBelow({ top, at, anchor }: Family): Promise<string[]> {
    const { shape, tasks } = this.#parts
    const below: TaskDocument[] = []
    for await (const { documents } of shape.below(top.id))
      for (const task of documents)
        if (task.deleted_at === null && task.doomed === null) below.push(task)
    let hidden = [top.id]
    let isWhole = below.every(this.#isDue)
    if (isWhole) {
      const done = await pooled(below, ({ id }) => this.#hide(id, at))
      hidden = [top.id, ...below.flatMap(({ id }, nth) => (done[nth] ? [id] : []))]
      isWhole = hidden.length === below.length + 1
    }
    // Of a task by itself there is no other part that could be forgotten.
    const isAlone = below.length === 0 && anchor === top.id
    if (isWhole && (isAlone || (await hiddenAt(tasks, anchor)) === at)) return hidden
    await restoreHidden(this.#parts, { id: top.id, at, told: this.#told })
    return []
  }

  /** Whether it is hidden under this time: by this pass, or by another that completes the same family. */
  async #hide(id: string, at: string): Promise<boolean> {
    const outcome = await this.#parts.tasks.change(id, (now) =>
      this.#isDue(now) && now.doomed === null ? changed(now, { deleted_at: at }, this.#told) : now,
    )
    return outcome?.after.deleted_at === at
  }
}

/** When the parent was hidden, if by a pass that would have hidden the task too, had it not died; else null. */
const timeLeftBehind = (task: TaskDocument, { deleted_at }: TaskDocument): string | null =>
  deleted_at !== null && Date.parse(task.updated_at) < Date.parse(deleted_at) ? deleted_at : null

async function hiddenAt(tasks: Tasks, id: string): Promise<string | null> {
  const [document] = await tasks.getAll([id])
  return document?.value.deleted_at ?? null
}
