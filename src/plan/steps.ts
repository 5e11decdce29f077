import { type Condition, type Step, shown } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { checkState, stateOf } from './condition.ts'
import { setGoal, type TaskUpdate, updateGoal, updateTask, type Words } from './decisions.ts'
import { InvalidPlanError, SessionArchivedError, SessionNotFoundError } from './error.ts'
import { eventOf, type Happening, type PlanEvent } from './event.ts'
import { checkFields } from './given.ts'
import type { Sessions } from './sessions.ts'
import { State } from './state.ts'
import { parseStatus } from './status.ts'
import { checkTaskId } from './task-id.ts'
import { checkDescription, checkReason, checkTitle } from './text.ts'

/** A title, and what there is to say beside it. */
export interface GoalWords {
  /** In a few words. */
  readonly title: string
  /** In more; empty where it is left out. */
  readonly description?: string | undefined
}
/** The words of a new task. */
export type TaskWords = GoalWords

/** What is left out stays. With the `state` that was seen, as `stateOf` names it, it holds for that state only. */
export interface WordChange extends Condition {
  /** A new title. */
  readonly title?: string | undefined
  /** A new description. */
  readonly description?: string | undefined
}

/** What is to become of a task. */
export interface TaskChange extends WordChange {
  /** Which task, by its whole id. */
  readonly id: string
  /** A status, or a word that means one. */
  readonly status?: string | undefined
}

/** Who changes something, and why, for the event that tells of it. */
export interface Told {
  /** The command that was run. */
  readonly cmd: string
  /** Why; needed for some changes, and kept in the log. */
  readonly reason?: string | null | undefined
}

/** What is to be changed in a plan. */
export type Change =
  | { readonly kind: 'set-goal'; readonly words: GoalWords }
  | { readonly kind: 'update-goal'; readonly words: WordChange }
  | { readonly kind: 'add-tasks'; readonly tasks: readonly TaskWords[] }
  | { readonly kind: 'update-tasks'; readonly tasks: readonly TaskChange[] }

interface Parts {
  readonly store: Store
  readonly sessions: Sessions
  readonly sid: string
  readonly now: string
}

/** So many that events, documents and index entries of all of them are one commit. */
const addsMax = 300
const updatesMax = 200

/** Throws {@link InvalidPlanError} for a change that can never be right, wherever it is made. */
export function checkChange(change: Change, told: Told): void {
  checkTold(told)
  deciders(change)
}

/** The reason, if one was given. */
function checkTold(told: Told): string | null {
  const { cmd, reason } = checkFields(told, 'What is told', ['cmd', 'reason'])
  if (typeof cmd !== 'string')
    throw new InvalidPlanError('The command is no string.', 'Give as cmd what was run.')
  return checkReason(reason)
}

/** The steps of a change, each an event or two, and the tasks it is about once the steps were taken. */
interface Steps {
  readonly steps: readonly Step<PlanEvent>[]
  /** Each once, in the order given. */
  ids(): string[]
}

/** What it takes to make a change. What can never be right is refused here. */
export function stepsOf(parts: Parts, change: Change, told: Told): Steps {
  const reason = checkTold(told)
  const { store, sid, now } = parts
  const numbered = (seq: number, happenings: readonly Happening[]) =>
    happenings.map((happening, at) =>
      eventOf({ seq: seq + at, at: now, reason, cmd: told.cmd }, happening),
    )
  // A step may be taken several times; the task it is about stays the same.
  const ids: (string | null)[] = []
  const steps = deciders(change).map(
    (decide, at): Step<PlanEvent> =>
      async (seq, pending) => {
        const { id, happenings } = await decide(new State(store, sid, pending), {
          seq,
          now,
          reason,
        })
        ids[at] = id
        return numbered(seq, happenings)
      },
  )
  return {
    steps: [() => requireActive(parts), ...steps],
    ids: () => [...new Set(ids.filter((id) => id !== null))],
  }
}

/** Has nothing to say, and refuses where there is nothing to change. */
async function requireActive({ sessions, sid }: Parts): Promise<[]> {
  const session = await sessions.get(sid)
  if (!session) throw new SessionNotFoundError(sid)
  if (session.state === 'archived') throw new SessionArchivedError(sid)
  return []
}

interface Circumstances {
  readonly seq: number
  readonly now: string
  readonly reason: string | null
}
/** What happens, and to which task; null for the goal. */
interface Decision {
  readonly id: string | null
  readonly happenings: readonly Happening[]
}
type Decide = (state: State, circumstances: Circumstances) => Promise<Decision>

function deciders(change: Change): Decide[] {
  const { kind } = checkFields(change, 'The change', ['kind', 'words', 'tasks'])
  if (change.kind === 'set-goal') {
    const words = checkedWords(change.words)
    return [
      async (state, { now }) => ({
        id: null,
        happenings: setGoal(await state.goal(), words, now),
      }),
    ]
  }
  if (change.kind === 'update-goal') {
    const words = checkedParts(change.words)
    const meant = new Set([words.state])
    return [
      async (state, at) => {
        const goal = await state.goal()
        if (goal) checkState('goal', goal, meant)
        return { id: null, happenings: updateGoal(goal, words, at) }
      },
    ]
  }
  if (change.kind === 'add-tasks') {
    checkTasks(change.tasks, addsMax, 'added')
    return change.tasks.map(checkedWords).map((words) => (state, at) => state.adding(words, at))
  }
  if (change.kind === 'update-tasks') {
    checkTasks(change.tasks, updatesMax, 'updated')
    return eachOnce(change.tasks.map(checkedUpdate)).map(updating)
  }
  throw new InvalidPlanError(
    `There is no change of the kind ${shown(kind)}.`,
    'Use set-goal, update-goal, add-tasks or update-tasks.',
  )
}

/** Where its two events can't be one commit, it is asked again after the first: the words are its own then. */
function updating(update: TaskUpdate): Decide {
  const meant = new Set([update.state])
  return async (state, at) => {
    const task = await state.task(update.id)
    checkState('task', task, meant)
    const { title = task.title, description = task.description } = update
    meant.add(stateOf({ ...task, title, description }))
    return { id: task.id, happenings: updateTask(task, update, at) }
  }
}

/** The same change of the same task counts once; two different ones are a mistake. */
function eachOnce(updates: readonly TaskUpdate[]): TaskUpdate[] {
  const byId = new Map<string, TaskUpdate>()
  for (const update of updates) {
    const other = byId.get(update.id)
    if (other && JSON.stringify(other) !== JSON.stringify(update))
      throw new InvalidPlanError(
        `The task ${update.id} is to be changed in two ways.`,
        'Name it once.',
      )
    byId.set(update.id, update)
  }
  return [...byId.values()]
}

function checkTasks(tasks: readonly unknown[], max: number, done: string): void {
  if (!Array.isArray(tasks)) throw new InvalidPlanError('The tasks are no list.', 'Give a list.')
  const count = tasks.length
  if (count > max)
    throw new InvalidPlanError(
      `${count} tasks can't be ${done} at once; the limit is ${max}.`,
      'Use several commands.',
    )
}

function checkedWords(given: GoalWords): Words {
  const { title, description = '' } = checkFields(given, 'What is given', ['title', 'description'])
  return { title: checkTitle(title), description: checkDescription(description) }
}

const wordFields = ['title', 'description', 'state']

function checkedParts(given: WordChange): Partial<Words> & Condition {
  const { title, description, state } = checkFields(given, 'The change', wordFields)
  if (state !== undefined && typeof state !== 'string')
    throw new InvalidPlanError('The state is no string.', 'Give what stateOf() answers.')
  return {
    ...(state === undefined ? {} : { state }),
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(description === undefined ? {} : { description: checkDescription(description) }),
  }
}

function checkedUpdate(given: TaskChange): TaskUpdate {
  const fields = ['id', 'status', ...wordFields]
  const { id, status, ...words } = checkFields(given, 'The change of a task', fields)
  return {
    id: checkTaskId(id),
    ...checkedParts(words),
    ...(status === undefined ? {} : { status: parseStatus(status) }),
  }
}
