import { blake3 } from '@noble/hashes/blake3.js'
import { States, type Window } from './states.ts'

export interface Wording {
  readonly title: string
  readonly description: string
}
export interface Goal extends Wording {
  readonly updated_at: string
}
export interface PlanTask extends Goal {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly created_seq: number
}
/** An event as it is stored. */
export interface PlanEvent {
  readonly seq: number
  readonly at: string
  readonly type: string
  readonly reason: string | null
  readonly cmd: string
  readonly payload: {
    readonly goal?: Goal
    readonly goal_before?: Goal
    readonly goal_after?: Goal
    readonly task?: PlanTask
    readonly task_id?: string
    readonly before?: Goal
    readonly after?: Goal
    readonly title?: string
    readonly status_before?: string
    readonly status_after?: string
    readonly updated_at?: string
  }
}

export const needsReason = (status: string | undefined): boolean =>
  status === 'failed' || status === 'cancelled'

const normalized = (text: string): string => text.trim().toLowerCase().normalize('NFC')
export const wordsOf = ({ title, description }: Wording): string =>
  `${normalized(title)}|${normalized(description)}`

const hashOf = (words: string, sid: string): string =>
  Buffer.from(blake3(new TextEncoder().encode(`${words}|${sid}`))).toString('hex')

/** The id of a task that has a title alone. */
export const idFor = (title: string, sid: string): string =>
  hashOf(wordsOf({ title, description: '' }), sid).slice(0, 6)

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The log of one session as it grows, and what its goal and tasks are by it. */
export class PlanLog {
  readonly sid: string
  readonly events: PlanEvent[] = []
  /** At which tick each event came. */
  readonly ticks: number[] = []
  readonly goals = new States<Goal>()
  readonly tasks = new States<PlanTask>()
  /** Which task was added with which words. */
  readonly #ids = new Map<string, string>()

  constructor(sid: string) {
    this.sid = sid
  }

  get goal(): Goal | null {
    return this.goals.now('goal')
  }

  *allTasks(): Generator<PlanTask> {
    for (const id of this.tasks.keys()) yield this.tasks.now(id) as PlanTask
  }

  idOf(words: Wording): string | undefined {
    return this.#ids.get(wordsOf(words))
  }

  /** When the event with this number came; 0 for the beginning. */
  tickOf(seq: number): number {
    return seq === 0 ? 0 : (this.ticks[seq - 1] ?? Number.POSITIVE_INFINITY)
  }

  /** How many events there were at a tick. */
  countAt(tick: number): number {
    return this.ticks.filter((each) => each <= tick).length
  }

  goalsDuring(window: Window): (Goal | null)[] {
    return this.goals.during('goal', window)
  }

  /** Takes in the next event, and says what is wrong with it, if anything is. */
  append(event: PlanEvent, tick: number): string | null {
    const wrong = this.#wrongWith(event)
    this.events.push(event)
    this.ticks.push(tick)
    const { goal, goal_after, task } = event.payload
    if (goal || goal_after) this.goals.note('goal', (goal ?? goal_after) as Goal, tick)
    if (task) this.#ids.set(wordsOf(task), task.id)
    const after = task ?? this.#taskAfter(event)
    if (after) this.tasks.note(after.id, after, tick)
    return wrong
  }

  #taskAfter({ payload }: PlanEvent): PlanTask | null {
    const { task_id = '', after, status_after, updated_at } = payload
    const task = this.tasks.now(task_id)
    if (task === null) return null
    const { id, title, description, status, created_at, created_seq } = task
    return {
      id,
      title: after?.title ?? title,
      description: after?.description ?? description,
      status: status_after ?? status,
      created_at,
      updated_at: after?.updated_at ?? updated_at ?? '',
      created_seq,
    }
  }

  #wrongWith(event: PlanEvent): string | null {
    if (event.seq !== this.events.length + 1) return `comes after ${this.events.length}`
    if (event.type === 'goal_set') return this.goal === null ? null : 'sets a goal beside another'
    if (event.type === 'goal_updated') return this.#wrongGoal(event)
    if (event.type === 'task_added')
      return this.#wrongTask(event.payload.task as PlanTask, event.seq)
    const task = this.tasks.now(event.payload.task_id ?? '')
    if (task === null) return 'is about a task that is not there'
    return event.type === 'task_updated'
      ? this.#wrongWords(task, event)
      : this.#wrongStatus(task, event)
  }

  #wrongGoal({ reason, payload: { goal_before, goal_after } }: PlanEvent): string | null {
    if (!isSame(goal_before, this.goal)) return 'has another goal before it than there was'
    if (wordsOf(goal_after as Goal) === wordsOf(goal_before as Goal)) return 'changes nothing'
    return reason === null ? 'has no reason' : null
  }

  #wrongTask(task: PlanTask, seq: number): string | null {
    if (this.tasks.now(task.id) !== null) return `adds ${task.id} again`
    if (this.idOf(task) !== undefined) return `adds the words of ${this.idOf(task)} again`
    if (task.created_seq !== seq || task.status !== 'pending') return 'begins otherwise than new'
    return hashOf(wordsOf(task), this.sid).startsWith(task.id)
      ? null
      : 'has an id that is not its own'
  }

  #wrongWords(task: PlanTask, { reason, payload: { before, after } }: PlanEvent): string | null {
    const { title, description, updated_at } = task
    if (!isSame(before, { title, description, updated_at })) return 'has other words before it'
    if (after?.title === title && after.description === description) return 'changes nothing'
    return reason === null ? 'has no reason' : null
  }

  #wrongStatus(task: PlanTask, { reason, payload }: PlanEvent): string | null {
    const { title, status_before, status_after } = payload
    if (status_before !== task.status || title !== task.title) return 'has another task before it'
    if (status_after === status_before) return 'changes nothing'
    return needsReason(status_after) && reason === null ? 'has no reason' : null
  }
}
