import { flag, json, one, optional, required } from '../schema/index.ts'
import {
  anybody,
  byOf,
  changing,
  given,
  id,
  missing,
  named,
  reason,
  restoredShape,
  row,
  taskShape,
} from './shapes.ts'

const moved = ['INVALID_TRANSITION']
const owned = ['NOT_CLAIM_OWNER', ...moved]

/** From open to closed. A verb is strict: doing it twice is an error. */
export const work = {
  claim: row({
    ...changing,
    http: 'POST /api/tasks/:id/claim',
    summary: 'Claim an open task',
    details: 'Adds tags in the same change, and notes which grimoire was selected.',
    input: { id, tags: optional(given.tags), ...named },
    errors: [...missing, 'ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
    run: (tree, { id, agent, tags = [] }, { on }) => tree.claim(id, byOf(agent, on), { tags }),
  }),
  reclaim: row({
    http: 'POST /api/tasks/:id/reclaim',
    summary: 'Make sure that the task is claimed by this agent',
    details: 'Changes nothing, not even the time of the claim.',
    input: { id, ...named },
    output: one(taskShape),
    errors: [...missing, 'ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
    repeatable: true,
    run: (tree, { id, agent }) => tree.reclaim(id, agent),
  }),
  release: row({
    ...changing,
    http: 'POST /api/tasks/:id/release?force',
    summary: 'Give a claimed task back',
    input: { id, force: optional(flag, 'Also what another has claimed.'), ...named },
    errors: [...missing, ...owned],
    adminIf: { force: true },
    run: (tree, { id, agent, force = false }, { on }) =>
      tree.release(id, byOf(agent, on), { force }),
  }),
  complete: row({
    ...changing,
    http: 'POST /api/tasks/:id/complete',
    summary: 'Finish a claimed task',
    details: 'It waits for approval then, or is closed at once where review is skipped.',
    input: {
      id,
      summary: optional(given.reason),
      result: optional(json<unknown>(), 'Any JSON of at most 64 KiB; the history keeps it.'),
      skip_review: optional(flag),
      ...named,
    },
    errors: [...missing, ...owned],
    run: (tree, { id, agent, ...note }, { on }) => tree.complete(id, byOf(agent, on), note),
  }),
  block: row({
    ...changing,
    http: 'POST /api/tasks/:id/block',
    summary: 'Say that a claimed task can’t go on',
    details: 'The claim is released.',
    input: { id, ...reason, ...named },
    errors: [...missing, ...owned],
    run: (tree, { id, agent, ...note }, { on }) => tree.block(id, byOf(agent, on), note),
  }),
  unblock: row({
    ...changing,
    http: 'POST /api/tasks/:id/unblock',
    summary: 'Open a blocked task again',
    input: { id, ...anybody },
    errors: [...missing, ...moved],
    run: (tree, { id, agent }, { on }) => tree.unblock(id, byOf(agent, on)),
  }),
  approve: row({
    ...changing,
    http: 'POST /api/tasks/:id/approve',
    summary: 'Close a task that waits for approval',
    input: { id, ...anybody },
    errors: [...missing, ...moved],
    run: (tree, { id, agent }, { on }) => tree.approve(id, byOf(agent, on)),
  }),
  reject: row({
    ...changing,
    http: 'POST /api/tasks/:id/reject',
    summary: 'Block a task that waits for approval',
    input: { id, ...reason, ...anybody },
    errors: [...missing, ...moved],
    run: (tree, { id, agent, ...note }, { on }) => tree.reject(id, byOf(agent, on), note),
  }),
  restore: row({
    ...changing,
    http: 'POST /api/tasks/:id/restore',
    summary: 'Bring back what retention has hidden',
    details:
      'With the task comes back all that was hidden together with it: what is below it, and what it is a part of. `restored` says how many that are. What was hidden at another time stays hidden.',
    input: { id, ...anybody },
    output: one(restoredShape, 'The task, as it is now, and how many tasks were brought back.'),
    errors: missing,
    run: (tree, { id, agent }, { on }) => tree.restore(id, byOf(agent, on)),
  }),
  setStatus: row({
    ...changing,
    http: 'PATCH /api/tasks/:id/status',
    summary: 'Move a task to a status',
    details:
      'Runs the verb that makes the move, under the same rules. The status that it has already changes nothing, which `X-Changed: false` says; but a task that another agent has claimed or completed is ALREADY_CLAIMED.',
    input: { id, status: required(given.status), ...reason, ...anybody },
    errors: [...missing, ...owned, 'ALREADY_CLAIMED', 'NOT_CLAIMABLE'],
    run: (tree, { id, agent, status, ...note }, { on, checkNamed }) => {
      // Which verb it is, and so whether it needs to know who asks, only the task itself can tell.
      const mayChange = (task: { status: string }) => {
        const isOwners = status === 'in_progress' || task.status === 'in_progress'
        const isAnothers = status === 'pending_merge' && task.status === 'pending_merge'
        if (isOwners || isAnothers) checkNamed()
      }
      return tree.setStatus(id, status, { ...byOf(agent, on), mayChange }, note)
    },
  }),
}
