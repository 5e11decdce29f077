import { copied, type Task } from '../task.ts'
import type { HandlerContext } from '../task-type.ts'

/** What an attempt lets its handler do. */
interface Tools {
  readonly task: Task
  readonly signal: AbortSignal
  progress: number | string | null
  extend(ms: number): Promise<void>
}

/** What a handler is given. Copy and signal are made when it asks for them: most do not. */
export class AttemptContext implements HandlerContext {
  readonly attempt: number
  readonly progress: HandlerContext['progress']
  readonly extend: HandlerContext['extend']
  readonly #tools: Tools
  #shown: Task | undefined

  constructor(tools: Tools) {
    this.#tools = tools
    this.attempt = tools.task.attempt
    this.progress = (how) => {
      tools.progress = how
    }
    this.extend = (ms) => tools.extend(ms)
  }

  get task(): Task {
    this.#shown ??= copied(this.#tools.task)
    return this.#shown
  }

  get signal(): AbortSignal {
    return this.#tools.signal
  }
}
