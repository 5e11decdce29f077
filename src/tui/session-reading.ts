import type { Goal, PlanEvent, SessionReader, StoredEvent } from '../plan/internal.ts'
import type { Dirty } from './dirty.ts'
import { problemOf } from './failure.ts'
import type { Log, News } from './state.ts'

/** How many events are read at once; of a longer log the newest, and others when they come into view. */
const eventsAtOnceMax = 200

/** Reads of a session what has changed since the last time. */
export class SessionReading {
  readonly #reader: SessionReader
  readonly #sid: string
  #updatedAt: string | undefined
  #total = 0

  constructor(reader: SessionReader, sid: string) {
    this.#reader = reader
    this.#sid = sid
  }

  /** Calls `onAnswer` as soon as the store has answered anything. */
  async news(dirty: Dirty, onAnswer: () => void): Promise<News> {
    const session = await this.#reader.session()
    onAnswer()
    if (!session) {
      this.#updatedAt = undefined
      return { session, problem: `There is no session ${this.#sid} any more.` }
    }
    const isAll = dirty.isAll || this.#updatedAt === undefined
    // Where no hint came and yet something has happened, the log tells what.
    const isNews = isAll || dirty.isLog || session.last_updated_at !== this.#updatedAt
    const log = isNews ? await this.#newLog(isAll) : await this.#oldLog(dirty)
    const documents = await this.#documents(isNews ? log : null, isAll, dirty)
    this.#updatedAt = session.last_updated_at
    if (isNews && log) this.#total = log.total
    const successor = session.state === 'archived' ? await this.#reader.successor(session) : null
    return { session, successor, ...documents, ...(log ? { log } : {}) }
  }

  /** What was hinted at, and what new events touched: the hints of some stores come late. */
  async #documents(log: Log | null, isAll: boolean, dirty: Dirty): Promise<Partial<News>> {
    const touched = touchedBy(log?.events ?? [])
    // A long stretch of the log holds more than was read of it.
    const isAllTasks = isAll || (log !== null && log.range.first > this.#total + 1)
    const ids = new Set([...dirty.tasks, ...touched.tasks])
    const [goal, tasks] = await Promise.all([
      isAllTasks || dirty.isGoal || touched.isGoal ? this.#goal() : {},
      isAllTasks ? this.#reader.tasks('all') : this.#reader.tasks(ids),
    ])
    return { ...goal, ...(isAllTasks || tasks.length > 0 ? { tasks, isAllTasks } : {}) }
  }

  /** What came after the last event known, or of a long stretch its end. */
  async #newLog(isAll: boolean): Promise<Log> {
    const known = isAll ? 0 : this.#total
    const range = { first: known + 1, last: known + eventsAtOnceMax }
    const near = await this.#reader.events(range.first, isAll ? 0 : range.last)
    if (!isAll && near.total <= range.last) return { ...near, range }
    const first = Math.max(1, near.total - eventsAtOnceMax + 1)
    const newest = await this.#reader.events(first, near.total)
    return { ...newest, range: { first, last: near.total } }
  }

  async #oldLog({ range }: Dirty): Promise<Log | null> {
    return range && { ...(await this.#reader.events(range.first, range.last)), range }
  }

  async #goal(): Promise<{ goal?: Goal | null; problem: string | null }> {
    try {
      return { goal: await this.#reader.goal(), problem: null }
    } catch (error) {
      const problem = problemOf(error)
      if (problem === null) throw error
      return { problem }
    }
  }
}

function touchedBy(events: readonly StoredEvent<PlanEvent>[]) {
  const tasks: string[] = []
  let isGoal = false
  for (const { event } of events) {
    if (event?.type === 'goal_set' || event?.type === 'goal_updated') isGoal = true
    else if (event?.type === 'task_added') tasks.push(event.payload.task.id)
    else if (event) tasks.push(event.payload.task_id)
  }
  return { tasks, isGoal }
}
