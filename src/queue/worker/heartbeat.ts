import type { Held } from '../../collection/index.ts'
import type { Store } from '../../store/internal.ts'
import { Registry } from '../registry.ts'
import { isOfOneDocument } from '../set-aside.ts'
import { timeOf } from '../time.ts'
import type { RunningTask, WorkerInfo } from '../worker-info.ts'
import type { Execution } from './execution.ts'
import type { Workshop } from './workshop.ts'

const everyMs = 15_000
const runningToldMax = 100

/** Says again and again that a worker lives and what it does. Nothing depends on it. */
export class Heartbeat {
  readonly #registry: Registry
  readonly #shop: Workshop
  readonly #running: Iterable<Execution>
  #held: Held<WorkerInfo> | null = null
  #startedAt = ''
  #timer: NodeJS.Timeout | undefined
  #beat: Promise<void> = Promise.resolve()

  constructor(store: Store, shop: Workshop, running: Iterable<Execution>) {
    this.#registry = new Registry(store, shop.warn)
    this.#shop = shop
    this.#running = running
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => {
      this.#beat = this.#beat.then(() => this.#tell())
    }, everyMs)
    this.#beat = this.#tell()
    await this.#beat
  }

  /** Ends alone: the registration is for others to take away. */
  end(): void {
    clearInterval(this.#timer)
  }

  /** Ends, and takes the registration away. */
  async stop(): Promise<void> {
    this.end()
    await this.#beat
    await this.#registry.remove(this.#shop.settings.id).catch((error) => this.#shop.away(error))
  }

  async #tell(): Promise<void> {
    try {
      const now = timeOf(await this.#shop.now())
      this.#startedAt ||= now
      this.#held = await this.#registry.put(this.#info(now), this.#held)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const { aside, settings } = this.#shop
    if (isOfOneDocument(error)) aside.tellError(settings.id, 'The worker is not registered', error)
    else this.#shop.away(error)
  }

  #runningTasks(): RunningTask[] {
    const tasks: RunningTask[] = []
    for (const { id, task, progress } of this.#running) {
      if (tasks.length === runningToldMax) break
      tasks.push({ id, task_type: task.task_type, attempt: task.attempt, progress })
    }
    return tasks
  }

  #info(last_heartbeat: string): WorkerInfo {
    const { settings, metrics } = this.#shop
    const running = this.#runningTasks()
    return {
      worker_id: settings.id,
      started_at: this.#startedAt,
      last_heartbeat,
      shards: settings.shards,
      current_task: running[0]?.id ?? null,
      tasks_completed: metrics.total('tasks_completed'),
      tasks_failed: metrics.total('tasks_failed') + metrics.total('tasks_retried'),
      task_types: [...settings.handlers.keys()].sort(),
      concurrency: settings.concurrency,
      running,
    }
  }
}
