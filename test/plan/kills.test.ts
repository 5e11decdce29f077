import assert from 'node:assert/strict'
import { Plans } from '../../src/plan/index.ts'
import type { Store } from '../../src/store/index.ts'
import type { Step } from '../doomed.ts'
import { killRounds } from '../models/kills.ts'
import {
  counted,
  createdVerdict,
  possible,
  stepsBy,
  together,
  type Verdict,
} from '../models/verdict.ts'
import { assertLayout } from './layout.ts'

async function check(store: Store, steps: readonly Step[], folder: string): Promise<Verdict> {
  const plans = new Plans(store)
  const session = await plans.find(folder)
  assert.ok(session, 'the session of a plan that was changed')
  const { events } = await plans.events(session.sid)
  const { tasks } = await plans.plan(session.sid)
  const logged = new Map(events.map(({ seq, event }) => [seq, event]))
  const unlogged = steps.filter(({ outcome, what, seq }) => {
    const type = what === 'add' ? 'task_added' : 'task_status_changed'
    return outcome === 'done' && logged.get(seq as number)?.type !== type
  })
  const statuses = new Map(tasks.map(({ id, status }) => [id, status as string]))
  const misplaced = [...stepsBy(steps, ({ id }) => id)].flatMap(([id, own]) => {
    const status = statuses.get(id) ?? 'gone'
    const allowed = possible('pending', own, (step) => step.status ?? 'pending')
    return allowed.has(status) ? [] : [`${id} is ${status}, not ${[...allowed]}`]
  })
  return together(
    {
      lost: [...unlogged.map(({ what, seq }) => `event ${seq}: ${what}`), ...misplaced],
      doubles: [],
      wrong: [],
    },
    createdVerdict(
      steps.filter(({ what }) => what === 'add'),
      counted(tasks.map(({ title }) => title)),
    ),
  )
}

killRounds({
  model: 'plan',
  promises: ['durable', 'honest', 'history'],
  program: 'doomed-plan',
  check,
  finish: async (store) => {
    await new Plans(store).repair({ graceMs: 0 })
    await assertLayout(store)
    return { lost: [], doubles: [], wrong: [] }
  },
})
