import type { Store } from '../../src/store/index.ts'
import { type HistoryEntry, type Task, TaskTree } from '../../src/tree/index.ts'
import type { Step } from '../doomed.ts'
import { killRounds } from '../models/kills.ts'
import { counted, createdVerdict, stepsBy, together, type Verdict } from '../models/verdict.ts'
import { assertLayout, assertNothingMissed } from './layout.ts'

const pageSize = 1_000
const statusAfter = { claim: 'in_progress', release: 'open', close: 'closed' } as const
type Move = keyof typeof statusAfter

async function allTasks(tree: TaskTree): Promise<Map<string, Task>> {
  const tasks = new Map<string, Task>()
  for (let offset = 0; ; offset += pageSize) {
    const page = await tree.list({ limit: pageSize, offset })
    for (const task of page.tasks) tasks.set(task.id, task)
    if (offset + pageSize >= page.total) return tasks
  }
}

/** One at a time: whoever took it gave it back or closed it before anybody else took it. */
function isInTurn(moves: readonly HistoryEntry[]): boolean {
  return moves.every(({ new_value, changed_by }, at) => {
    const before = moves[at - 1]
    const isTaken = before?.new_value === 'in_progress'
    if (new_value === 'in_progress') return !isTaken && before?.new_value !== 'closed'
    return isTaken && before.changed_by === changed_by
  })
}

/** What was acknowledged is in the history as often as that, what is in doubt at most once more, and nothing else is. */
async function movesVerdict(tree: TaskTree, id: string, own: readonly Step[]): Promise<Verdict> {
  const history = (await tree.history(id, { field: 'status' })).toReversed()
  // That of its creation has no value before it.
  const moves = history.filter(({ old_value }) => old_value !== null)
  const found = counted(moves.map(({ new_value, changed_by }) => `${new_value} ${changed_by}`))
  const wanted = stepsBy(own, ({ what, text }) =>
    Object.hasOwn(statusAfter, what) ? `${statusAfter[what as Move]} ${text}` : undefined,
  )
  const lost: string[] = []
  const wrong: string[] = []
  for (const [move, steps] of wanted) {
    const done = steps.filter(({ outcome }) => outcome === 'done').length
    const doubtful = steps.filter(({ outcome }) => outcome === 'unknown').length
    const count = found.get(move) ?? 0
    const told = `${id}: ${move} ${count} times, acknowledged ${done}, in doubt ${doubtful}`
    if (count < done) lost.push(told)
    if (count > done + doubtful) wrong.push(told)
  }
  const status = (await tree.get(id)).status
  if (moves.length > 0 && moves.at(-1)?.new_value !== status) wrong.push(`${id} is ${status}`)
  return { lost, wrong, doubles: isInTurn(moves) ? [] : [`${id}: ${JSON.stringify(moves)}`] }
}

async function check(store: Store, steps: readonly Step[]): Promise<Verdict> {
  const tree = new TaskTree(store)
  const creations = steps.filter(({ what }) => what === 'create')
  const tasks = await allTasks(tree)
  const verdicts = [
    createdVerdict(creations, counted([...tasks.values()].map(({ title }) => title))),
  ]
  for (const [id, own] of stepsBy(steps, (step) => step.id))
    if (tasks.has(id)) verdicts.push(await movesVerdict(tree, id, own))
    else verdicts.push({ lost: [`${id} is gone`], doubles: [], wrong: [] })
  return together(...verdicts)
}

killRounds({
  model: 'tree',
  promises: ['durable', 'one holder', 'honest', 'history'],
  program: 'doomed-tree',
  // A task of an earlier round may move on in a later one: its moves are compared when all have been made.
  check: (store, steps) =>
    check(
      store,
      steps.filter(({ what }) => what === 'create'),
    ),
  finish: async (store, steps) => {
    await assertNothingMissed(store)
    await new TaskTree(store).repair({ graceMs: 0 })
    await assertLayout(store)
    return check(store, steps)
  },
})
