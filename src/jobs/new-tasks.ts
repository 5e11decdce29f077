import { checkSubmission, type Submission } from './checks.ts'
import type { Clock } from './clock.ts'
import type { Content } from './content.ts'
import type { NewTask } from './draft.ts'
import { InvalidTaskError } from './error.ts'
import { newTask } from './task.ts'

/** What new tasks are made with. */
interface NewTaskGround {
  readonly payload: Content<unknown>
  readonly clock: Clock
  readonly newId: (createdMs: number) => string
}

/** What was submitted as tasks that nobody has claimed yet. All are checked before any is made. */
export async function newTasks(
  tasks: readonly Submission<unknown>[],
  { payload, clock, newId }: NewTaskGround,
): Promise<NewTask[]> {
  if (!Array.isArray(tasks))
    throw new InvalidTaskError('What was submitted is no list.', 'Give an array of tasks.')
  // All are begun at once, so that each is taken as it is now.
  const checked = await Promise.all(Array.from(tasks, (task) => checkSubmission(task, payload)))
  const createdMs = await clock.creationMs()
  const createdAt = new Date(createdMs).toISOString()
  return checked.map((submission) => ({
    isIdGiven: submission.id !== null,
    task: newTask({ ...submission, id: submission.id ?? newId(createdMs), createdAt }),
  }))
}
