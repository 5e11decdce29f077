import type { MaintenanceReport, TaskTree } from '../../tree/internal.ts'
import { namedIds } from '../access-log.ts'

/** How often claims are looked at, and what is old. */
const everyMsDefault = 5 * 60_000

/** Maintains a tree now and then, until it is disposed of. A run that fails is told of, and the next one comes. */
export class Caretaker implements AsyncDisposable {
  readonly #tree: TaskTree
  readonly #log: (line: string) => void
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isEnded = false

  constructor(tree: TaskTree, log: (line: string) => void, everyMs = everyMsDefault) {
    this.#tree = tree
    this.#log = log
    this.#everyMs = everyMs
  }

  /** Ends when the first run has. */
  start(): Promise<void> {
    this.#running = this.#run()
    return this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      const done = wordsOf(await this.#tree.maintain())
      if (done !== '') this.#log(`Maintenance: ${done}.`)
    } catch (error) {
      this.#log(`Maintenance failed, and will be tried again: ${(error as Error).message}`)
    }
    if (!this.#isEnded) this.#timer = setTimeout(() => void this.start(), this.#everyMs).unref()
  }
}

/** What a run did; nothing where it found nothing to do. */
function wordsOf(report: MaintenanceReport): string {
  const { released, softDeleted, hardDeleted, restored, completed } = report
  const done = {
    'stale claims released': released,
    'tasks hidden': softDeleted,
    'tasks removed for good': hardDeleted,
    'tasks restored with their families': restored,
    'deletions completed': completed,
  }
  return Object.entries(done)
    .filter(([, ids]) => ids.length > 0)
    .map(([words, ids]) => `${ids.length} ${words} (${namedIds(ids)})`)
    .join(', ')
}
