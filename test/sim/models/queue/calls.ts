import type { Task } from '../../../../src/queue/index.ts'
import type { Move } from './moves.ts'
import type { Stored } from './stored.ts'

/** What people do to a task. Each change of this sort must be that of exactly one call. */
export type Order = 'cancel' | 'replay' | 'archive' | 'unarchive'

const orders: ReadonlySet<Move> = new Set<Move>(['cancel', 'replay', 'archive', 'unarchive'])
export const isOrder = (move: Move): move is Order => orders.has(move)

interface Count {
  written: number
  changed: number
  /** Calls of which nobody knows whether they have changed anything. */
  open: number
  /** When the last one began, and how many began at the same time as the one before. */
  beganMs: number
  twins: number
}

/** A queue looks at the clock once in 5 ms, so what begins within that has one time. */
const sameTimeMs = 6

/** Counts what was written, and what callers were told: a winner has won, and a loser has not. */
export class Calls {
  readonly #counts = new Map<string, Count>()

  written(order: Order, { id }: Stored): void {
    this.#of(order, id).written++
  }

  /** Two that make the very same state at the same time can't be told apart once an answer is lost: both have won then. */
  begun(order: Order, id: string, nowMs: number): void {
    const count = this.#of(order, id)
    count.open++
    if (nowMs - count.beganMs < sameTimeMs) count.twins++
    count.beganMs = nowMs
  }

  answered(order: Order, id: string, isChanged: boolean): void {
    const count = this.#of(order, id)
    count.open--
    if (isChanged) count.changed++
  }

  /** What does not fit, in words. */
  flaws(): string[] {
    return [...this.#counts].flatMap(([name, { written, changed, open, twins }]) =>
      written < changed - twins || written > changed + open
        ? [`${name}: ${written} changes, ${changed} callers told so, ${open} who do not know`]
        : [],
    )
  }

  #of(order: Order, id: string): Count {
    const name = `${order} ${id}`
    const count = this.#counts.get(name) ?? {
      ...{ written: 0, changed: 0, open: 0 },
      ...{ beganMs: Number.NaN, twins: 0 },
    }
    this.#counts.set(name, count)
    return count
  }
}

/** What a client was answered, short enough for a line of a trace. */
export function shown(value: unknown): string {
  const { task, isChanged } = value as { task?: Task; isChanged?: boolean }
  return task ? `${task.id} ${task.status}, changed: ${isChanged}` : 'done'
}
