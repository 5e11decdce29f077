import type { Task } from './task.ts'

/** Deeper than this is unusual, and worth a warning. */
const depthUsualMax = 10

const pauseMs = 60_000

/** Warns of tasks that are very deep: of the first at once, then once a minute, so that no log is flooded. */
export class DepthWarning {
  readonly #warn: (warning: string) => void
  #warnedMs = Number.NEGATIVE_INFINITY
  #unnamed = 0

  constructor(warn: (warning: string) => void = () => {}) {
    this.#warn = warn
  }

  /** Looks at a task that was just created or moved; answers with it. */
  seen(task: Task): Task {
    const { id, depth } = task
    if (depth <= depthUsualMax) return task
    const nowMs = Date.parse(task.updated_at)
    if (Math.abs(nowMs - this.#warnedMs) < pauseMs) {
      this.#unnamed++
      return task
    }
    const [others, were] = this.#unnamed === 1 ? ['other', 'was'] : ['others', 'were']
    const more =
      this.#unnamed === 0 ? '' : ` So ${were} ${this.#unnamed} ${others} in the meantime.`
    this.#warnedMs = nowMs
    this.#unnamed = 0
    this.#warn(`Task ${id} is ${depth} levels deep.${more}`)
    return task
  }
}
