import { statuses, type Task, type TaskStatus } from '../../../src/queue/task.ts'

type ByStatus = Record<TaskStatus, number>

/** What of a task is counted, and in which of its states that was. */
interface Counted {
  readonly etag: string
  readonly status: TaskStatus
  readonly type: string
}

interface Tallied {
  readonly by_status: ByStatus
  readonly by_type: Record<string, ByStatus>
  /** Those of which nobody knows how they are now. */
  readonly unread: readonly string[]
}

const none = (): ByStatus => Object.fromEntries(statuses.map((status) => [status, 0])) as ByStatus

/** How each task was when it was read last: so that a count reads only what has changed since. */
export class Tally {
  readonly #counted = new Map<string, Counted | { readonly etag: string; readonly status: null }>()

  /** Null for what can't be read as a task. */
  note(id: string, etag: string, task: Task | null): void {
    this.#counted.set(
      id,
      task ? { etag, status: task.status, type: task.task_type } : { etag, status: null },
    )
  }

  /** Whether it could not be read as a task when it was read last. */
  isCorrupt(id: string): boolean {
    return this.#counted.get(id)?.status === null
  }

  count(heads: ReadonlyMap<string, string>): Tallied {
    const by_status = none()
    const byType = new Map<string, ByStatus>()
    const unread: string[] = []
    for (const [id, etag] of heads) {
      const counted = this.#counted.get(id)
      if (!counted || counted.etag !== etag) unread.push(id)
      else if (counted.status !== null) {
        const ofType = byType.get(counted.type) ?? none()
        byType.set(counted.type, ofType)
        ofType[counted.status]++
        by_status[counted.status]++
      }
    }
    const types = [...byType].sort(([a], [b]) => (a < b ? -1 : 1))
    return { by_status, by_type: Object.fromEntries(types), unread }
  }
}
