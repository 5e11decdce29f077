import { type Task, TaskManager } from '../../src/jobs/index.ts'
import type { Store } from '../../src/store/index.ts'
import type { Step } from '../doomed.ts'
import { killRounds } from '../models/kills.ts'
import { counted, possible, stepsBy, type Verdict } from '../models/verdict.ts'
import { text } from './kit.ts'
import { allTasks, assertLayout } from './layout.ts'

const isDone = ({ outcome }: Step): boolean => outcome === 'done'

/** Every caller got the same id for a key, and one task has it. */
function keysVerdict(tasks: ReadonlyMap<string, Task>, steps: readonly Step[]): Verdict {
  const submissions = steps.filter(({ what }) => what === 'submit')
  const keys = [...stepsBy(submissions.filter(isDone), ({ key }) => key)]
  const owners = counted([...tasks.values()].map((task) => task.idempotencyKey ?? ''))
  const refused = stepsBy(submissions, ({ key }) => key)
  return {
    lost: submissions
      .filter((step) => isDone(step) && tasks.get(step.id as string)?.idempotencyKey !== step.key)
      .map(({ key, id }) => `${key}: ${id}`),
    doubles: [
      ...keys.filter(([, own]) => new Set(own.map(({ id }) => id)).size > 1).map(([key]) => key),
      ...[...owners].filter(([, count]) => count > 1).map(([key]) => key),
    ],
    wrong: [...refused]
      .filter(
        ([key, own]) => own.every((step) => step.outcome === 'unavailable') && owners.has(key),
      )
      .map(([key]) => `${key} is there, and every submission said that nothing happened`),
  }
}

/** No attempt was given to two, none is counted that nobody may have got, and what was finished is. */
function claimsVerdict(tasks: ReadonlyMap<string, Task>, steps: readonly Step[]): Verdict {
  const claims = steps.filter(({ what, id }) => what === 'claim' && id !== undefined)
  const held = counted(claims.map(({ id, attempt }) => `${id} attempt ${attempt}`))
  const lost = [...stepsBy(steps, ({ id }) => id)].flatMap(([id, own]) => {
    const task = tasks.get(id)
    if (task === undefined) return [id]
    const moves = own
      .filter(({ what }) => what !== 'submit')
      .sort((a, b) => orderOf(a) - orderOf(b))
    const now = `${task.status} ${task.status === 'completed' ? text(task.result) : ''}`
    const allowed = possible('pending ', moves, stateAfter)
    // By one who never got the answer.
    const mayBeClaimed = allowed.has('pending ') && task.status === 'claimed'
    return allowed.has(now) || mayBeClaimed ? [] : [`${id} is ${now}, not ${[...allowed]}`]
  })
  const acknowledged = counted(claims.map(({ id }) => id as string))
  const few = [...acknowledged].filter(([id, count]) => (tasks.get(id)?.attempts ?? 0) < count)
  const many = [...tasks.values()].reduce(
    (sum, { id, attempts }) => sum + attempts - (acknowledged.get(id) ?? 0),
    0,
  )
  const doubtful = steps.filter(({ what, outcome }) => what === 'claim' && outcome === 'unknown')
  return {
    lost: [...lost, ...few.map(([id]) => `${id} has fewer attempts than were given out`)],
    doubles: [...held].filter(([, count]) => count > 1).map(([claim]) => claim),
    wrong: many > doubtful.length ? [`${many} attempts that nobody got`] : [],
  }
}

/** Of different processes the clock of answers is not that of the store. */
const orderOf = ({ attempt = 0, what }: Step): number => 2 * attempt + (what === 'claim' ? 0 : 1)

function stateAfter({ what, text }: Step): string {
  if (what === 'claim') return 'claimed '
  return what === 'complete' ? `completed ${text}` : 'pending '
}

async function check(store: Store, steps: readonly Step[]): Promise<Verdict> {
  const tasks = new Map((await allTasks(store)).map((task) => [task.id, task]))
  return keysVerdict(tasks, steps)
}

killRounds({
  model: 'jobs',
  promises: ['durable', 'one holder', 'exact', 'honest'],
  program: 'doomed-jobs',
  check,
  finish: async (store, steps) => {
    const tasks = new Map((await allTasks(store)).map((task) => [task.id, task]))
    await new TaskManager(store).repair({ graceMs: 0 })
    await assertLayout(store)
    return claimsVerdict(tasks, steps)
  },
})
