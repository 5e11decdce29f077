import type { Condition } from '../collection/index.ts'
import type { Stored } from './document.ts'
import { extended, isLong, shortened, type Trail } from './history.ts'
import { apply, type Commands } from './rules.ts'
import { checkState } from './state.ts'

/** A command, and what it needs to know. */
export type Command = {
  [K in keyof Commands]: readonly [name: K, command: Commands[K]]
}[keyof Commands]

/** A command, and on which state of the task. */
export interface Meant {
  readonly command: Command
  readonly on: Condition
}

/** The pages to which trails that had become too long were moved, by the number of their first change. */
export type MovedPages = ReadonlyMap<number, number> | null

/** The history has outgrown the document: it must be kept elsewhere first. */
export class LongTrail extends Error {
  readonly trail: Trail

  constructor(trail: Trail) {
    super('the history is too long')
    this.trail = trail
  }
}

/** Another tool has dropped the history: the versions that the store has kept may still know it. */
export class ForgottenTrail extends Error {
  readonly stored: Stored

  constructor(stored: Stored) {
    super('the history was dropped')
    this.stored = stored
  }
}

/**
 * What a command makes of a task, with its history; the very same where it changes nothing. Throws {@link LongTrail}, and
 * whatever the rule refuses with.
 */
export function step(stored: Stored, { command: [name, command], on }: Meant, moved: MovedPages) {
  const { task, trail, extra } = stored
  checkState(task, on)
  const after = apply(name, task, command)
  if (after === task) return stored
  const page = isLong(trail) ? moved?.get(trail.from) : null
  if (page === undefined) throw new LongTrail(trail)
  return {
    task: after,
    trail: extended(page === null ? trail : shortened(trail, page), task, after),
    extra,
  }
}
