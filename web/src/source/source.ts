import type { TaskVersion } from '../../../src/queue/history.ts'
import type { ShownTask } from '../../../src/queue/shapes.ts'
import type { Json, Task, TaskStatus } from '../../../src/queue/task.ts'
import type { WorkerStatus } from '../../../src/queue/worker-info.ts'
import type { Api } from './api.ts'

/** More objects than this are not listed of one folder of a bucket. */
export const listedMax = 10_000

export type Model = 'queue' | 'plan' | 'tree' | 'list' | 'jobs'

export interface TaskFilter {
  readonly status?: TaskStatus | undefined
  readonly type?: string | undefined
  readonly shard?: string | undefined
  readonly text?: string | undefined
}

export type { ShownTask as ListedTask }

export interface TaskPage {
  readonly tasks: readonly ShownTask[]
  readonly cursor: string | null
  /** Whether the source gave up before it found as many as were wanted: going on is up to the reader. */
  readonly isShort: boolean
  /** What could not be read, and so is not in the list. */
  readonly corrupt: readonly string[]
  /** Shards of which only the oldest tasks were looked at, for there are too many. */
  readonly cutShards: readonly string[]
}

/** How many there are; null where nobody can say without reading every task. */
export interface Counts {
  readonly total: number
  /** How old they were when they were told: what takes long to count is not counted for everyone who asks. */
  readonly ageMs: number
  /** Whether there are more than were counted. */
  readonly isCut: boolean
  /** How many tasks are still to be read before anybody can say how they ended. */
  readonly unread: number
  readonly by_status: Readonly<Record<TaskStatus, number | null>>
  readonly by_type: Readonly<Record<string, Readonly<Record<TaskStatus, number>>>> | null
  readonly unhandled_types: readonly string[]
}

/** A task, and the state that it was seen in: what is done to it is done to that state, or refused. */
export interface SeenTask {
  readonly task: ShownTask
  readonly revision: string | null
}

/** A task that a person submits; null is whatever the queue takes by itself. */
export interface Draft {
  readonly type: string
  readonly input: Json
  readonly delaySeconds: number | null
  readonly maxRetries: number | null
  readonly timeoutSeconds: number | null
  readonly idempotencyKey: string | null
}

export type QueueAction = 'replay' | 'archive' | 'unarchive' | 'cancel'

export interface QueueSource {
  list(
    filter: TaskFilter,
    cursor: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<TaskPage>
  get(id: string, signal?: AbortSignal): Promise<SeenTask>
  history(id: string, signal?: AbortSignal): Promise<readonly TaskVersion[]>
  counts(signal?: AbortSignal): Promise<Counts>
  workers(signal?: AbortSignal): Promise<readonly WorkerStatus[]>
  act(seen: SeenTask, action: QueueAction): Promise<Task>
  /** Answers with the id of the new task. */
  submit(draft: Draft): Promise<Pick<Task, 'id'>>
  /** From now on counts read every task that they need to, however many there are. */
  countAll(): void
}

/** Something may have changed: one task, or anything of a model, or anything at all. */
export interface Hint {
  readonly model: Model | null
}

export type Connection = 'live' | 'polling' | 'lost'

/** Where the page gets everything from: a server, or a bucket itself. */
export interface Source {
  readonly kind: 'server' | 'bucket'
  /** What is being looked at, in a few words. */
  readonly title: string
  /** What of it is worth knowing besides. */
  readonly detail: string
  readonly models: readonly Model[]
  readonly queue: QueueSource
  /** What only a server can do. */
  readonly api: Api | null
  /** How often to look again without being told. */
  readonly pollMs: number
  readonly warnings: readonly string[]
  follow(onHint: (hint: Hint) => void, onConnection: (connection: Connection) => void): () => void
}
