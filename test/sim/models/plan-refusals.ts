import type { Refusal } from '../../../src/plan/index.ts'
import { needsReason, type PlanLog, wordsOf } from './plan-log.ts'
import { type Call, holds } from './plan-oracle.ts'
import type { Session } from './plan-sessions.ts'
import type { Window } from './states.ts'

/** Whether what a refusal says was so at some moment of the call. */
export function isTrue(
  refusal: Refusal,
  call: Call,
  log: PlanLog,
  sessions: readonly (Session | null)[],
  window: Window,
): boolean {
  const goals = log.goalsDuring(window)
  const { change } = call
  switch (refusal.name) {
    case 'SessionArchivedError':
      return sessions.some((session) => session?.state === 'archived')
    case 'SessionNotFoundError':
      return sessions.some((session) => session === null)
    case 'GoalAlreadySetError':
      return (
        change.kind === 'set-goal' &&
        refusal.kind === 'conflict' &&
        refusal.message ===
          "Goal already set. Use 'np g u' to update it (requires -r/--reason flag)." &&
        goals.some((goal) => goal !== null)
      )
    case 'NoGoalError':
      return (
        change.kind === 'update-goal' &&
        refusal.kind === 'refused' &&
        refusal.message === "No goal set yet. Use 'np g s' to set it first." &&
        goals.some((goal) => goal === null)
      )
    case 'ReasonMissingError':
      return call.reason === null && refusal.kind === 'refused' && needsOne(call, log, window)
    case 'TaskNotFoundError':
      return (
        change.kind === 'update-tasks' &&
        change.tasks.some(({ id }) => log.tasks.during(id, window).includes(null))
      )
    case 'ChangedMeanwhileError':
      return [...call.seen].some(([id, was]) => {
        const states = id === 'goal' ? goals : log.tasks.during(id, window)
        return states.some((state) => state !== null && !isSeen(state, was))
      })
    default:
      return false
  }
}

type Seen = Call['seen'] extends ReadonlyMap<string, infer S> ? S : never

const isSeen = (state: Seen, was: Seen): boolean =>
  wordsOf(state) === wordsOf(was) && state.status === was.status

/** Whether the change would have been one that takes a reason. */
function needsOne({ change }: Call, log: PlanLog, window: Window): boolean {
  if (change.kind === 'update-goal')
    return log.goalsDuring(window).some((goal) => goal !== null && !holds(goal, change.words))
  if (change.kind !== 'update-tasks') return false
  return change.tasks.some(({ id, status, title, description }) =>
    log.tasks
      .during(id, window)
      .some(
        (task) =>
          task !== null &&
          (!holds(task, { title, description }) || (needsReason(status) && task.status !== status)),
      ),
  )
}
