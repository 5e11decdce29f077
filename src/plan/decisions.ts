import type { Condition } from '../collection/index.ts'
import { taskAfter, taskIdOf } from './apply.ts'
import type { Goal, PlanTask } from './documents.ts'
import { GoalAlreadySetError, NoGoalError, ReasonMissingError } from './error.ts'
import type { Happening, PlanEvent } from './event.ts'
import { needsReason, type Status } from './status.ts'

/** What is to become of a task; what is left out stays. Texts are checked. */
export interface TaskUpdate extends Condition {
  readonly id: string
  readonly status?: Status | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
}

export interface Words {
  readonly title: string
  readonly description: string
}

export function setGoal(goal: Goal | null, words: Words, now: string): Happening[] {
  if (goal !== null) throw new GoalAlreadySetError()
  return [{ type: 'goal_set', payload: { goal: { ...words, updated_at: now } } }]
}

/** Nothing happens where nothing changes. */
export function updateGoal(
  goal: Goal | null,
  words: Partial<Words>,
  { now, reason }: { now: string; reason: string | null },
): Happening[] {
  if (goal === null) throw new NoGoalError('refused')
  const { title = goal.title, description = goal.description } = words
  if (title === goal.title && description === goal.description) return []
  if (reason === null) throw new ReasonMissingError('Updating the goal')
  const goal_after = { title, description, updated_at: now }
  return [{ type: 'goal_updated', payload: { goal_before: goal, goal_after } }]
}

export function addTask(
  id: string,
  words: Words,
  { now, seq }: { now: string; seq: number },
): Happening {
  const task: PlanTask = {
    id,
    ...words,
    status: 'pending',
    created_at: now,
    updated_at: now,
    created_seq: seq,
  }
  return { type: 'task_added', payload: { task } }
}

/** The wording first, then the status; nothing where nothing changes. */
export function updateTask(
  task: PlanTask,
  update: TaskUpdate,
  { now, reason }: { now: string; reason: string | null },
): Happening[] {
  const { title = task.title, description = task.description, status = task.status } = update
  const happenings: Happening[] = []
  if (title !== task.title || description !== task.description) {
    if (reason === null) throw new ReasonMissingError('Updating the title or description of a task')
    const before = { title: task.title, description: task.description, updated_at: task.updated_at }
    const after = { title, description, updated_at: now }
    happenings.push({ type: 'task_updated', payload: { task_id: task.id, before, after } })
  }
  if (status !== task.status) {
    if (needsReason(status) && reason === null)
      throw new ReasonMissingError(`Changing the status of a task to ${status}`)
    const change = { status_before: task.status, status_after: status, updated_at: now }
    happenings.push({
      type: 'task_status_changed',
      payload: { task_id: task.id, title, ...change },
    })
  }
  return happenings
}

/** A task as it will be once events that are not in the documents yet have come to be. */
export const withPending = (
  id: string,
  task: PlanTask | null,
  pending: readonly PlanEvent[],
): PlanTask | null => pending.filter((event) => taskIdOf(event) === id).reduce(taskAfter, task)
