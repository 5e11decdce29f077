import { TaskList } from '../../src/list/index.ts'
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
import { assertNoTaskMissed, assertTagLists } from './layout.ts'

async function check(store: Store, steps: readonly Step[]): Promise<Verdict> {
  const tasks = await new TaskList(store).query()
  const states = new Map(tasks.map(({ id, done }) => [id, done ? 'done' : 'add']))
  const additions = steps.filter(({ what }) => what === 'add')
  const changes = [...stepsBy(steps, ({ id }) => id)]
  const wasDeleted = new Set(
    changes.flatMap(([id, own]) => (own.some(({ what }) => what === 'gone') ? [id] : [])),
  )
  const lost = changes.flatMap(([id, own]) => {
    const state = states.get(id) ?? 'gone'
    const allowed = possible('add', own, ({ what }) => what)
    return allowed.has(state) ? [] : [`${id} is ${state}, not ${[...allowed]}`]
  })
  return together(
    { lost, doubles: [], wrong: [] },
    createdVerdict(
      additions.filter(({ id }) => id === undefined || !wasDeleted.has(id)),
      counted(tasks.map(({ text }) => text)),
    ),
  )
}

killRounds({
  model: 'list',
  promises: ['durable', 'honest'],
  program: 'doomed-list',
  check,
  finish: async (store, steps) => {
    await assertNoTaskMissed(store)
    await new TaskList(store).rebuildIndex({ graceMs: 0 })
    await assertTagLists(store)
    return check(store, steps)
  },
})
