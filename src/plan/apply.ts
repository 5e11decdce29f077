import type { Goal, PlanTask } from './documents.ts'
import type { PlanEvent } from './event.ts'

/** The goal after an event. Events only overwrite, so applying one again changes nothing. */
export function goalAfter(goal: Goal | null, event: PlanEvent): Goal | null {
  if (event.type === 'goal_set') return event.payload.goal
  return event.type === 'goal_updated' ? event.payload.goal_after : goal
}

/** The id of the task that an event is about. */
export function taskIdOf(event: PlanEvent): string | null {
  if (event.type === 'task_added') return event.payload.task.id
  const isAboutTask = event.type === 'task_updated' || event.type === 'task_status_changed'
  return isAboutTask ? event.payload.task_id : null
}

/** The task after an event about it; null where there is none yet. */
export function taskAfter(task: PlanTask | null, event: PlanEvent): PlanTask | null {
  if (event.type === 'task_added') return event.payload.task
  if (task === null) return null
  if (event.type === 'task_updated') {
    const { title, description, updated_at } = event.payload.after
    return { ...task, title, description, updated_at }
  }
  if (event.type === 'task_status_changed') {
    const { status_after, updated_at } = event.payload
    return { ...task, status: status_after, updated_at }
  }
  return task
}
