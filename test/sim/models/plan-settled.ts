import type { Plans } from '../../../src/plan/index.ts'
import type { Observer } from '../model.ts'
import type { PlanDocuments } from './plan-documents.ts'

interface Settled {
  readonly observer: Observer
  readonly plans: Plans
  readonly documents: PlanDocuments
  readonly violated: (what: string) => void
}

/** What an operation may cost a lone client, however long the log is and however many tasks have ended. */
const budget = { reads: 40, writes: 12, lists: 8 }

/** What must hold once nothing goes wrong any more, and leftovers have had time to be repaired. */
export async function checkSettled(settled: Settled): Promise<void> {
  const { plans, documents, observer, violated } = settled
  for (let round = 0; round < 2; round++) {
    const { left } = await plans.repair()
    for (const what of left) violated(`repair has left: ${what}`)
    await observer.sleep(30_000)
  }
  const { mended } = await plans.repair({ dryRun: true })
  if (mended > 0) violated(`after repair ${mended} documents differ`)
  for (const sid of documents.logs.keys())
    for (const what of documents.differences(sid)) violated(`at the end ${what}`)
  for (const what of documents.sessions.differences()) violated(`at the end ${what}`)
  await compareList(settled)
  await checkCosts(settled)
}

/** Active sessions newest first, then archived ones newest first. */
async function compareList({ plans, documents, violated }: Settled): Promise<void> {
  const all = [...documents.sessions.all()]
  const active = all.filter(({ state }) => state === 'active').map(({ sid }) => sid)
  const archived = all
    .filter(({ state }) => state === 'archived')
    .sort((a, b) => (`${a.archived_at} ${a.sid}` < `${b.archived_at} ${b.sid}` ? 1 : -1))
    .map(({ sid }) => sid)
  const { sessions, total } = await plans.list()
  const found = sessions.map(({ session }) => session.sid)
  const expected = [...active.sort().reverse(), ...archived]
  if (found.join() !== expected.join() || total !== expected.length)
    violated(`the list of sessions is ${found.join()}, not ${expected.join()}`)
}

async function checkCosts({ plans, documents, observer: { sim }, violated }: Settled) {
  const session = [...documents.sessions.all()].find(({ state }) => state === 'active')
  if (!session) return
  const { sid } = session
  let before = { ...sim.costs }
  const pay = (what: string) => {
    for (const name of ['reads', 'writes', 'lists'] as const)
      if (sim.costs[name] - before[name] > budget[name])
        violated(`${what} cost ${sim.costs[name] - before[name]} ${name}`)
    before = { ...sim.costs }
  }
  const told = { cmd: 'np costs', reason: 'costs' }
  const { tasks } = await plans.apply(sid, { kind: 'add-tasks', tasks: [{ title: 'costs' }] }, told)
  pay('adding a task')
  const id = tasks[0]?.id as string
  for (const status of ['in_progress', 'failed']) {
    await plans.apply(
      sid,
      { kind: 'update-tasks', tasks: [{ id, status }] },
      { ...told, cmd: status },
    )
    pay(`a change to ${status}`)
  }
  await plans.events(sid, 3)
  pay('reading three events')
  await plans.goal(sid)
  pay('reading the goal')
  await plans.reader(sid).events(1, 3)
  pay('reading three events by number')
}
