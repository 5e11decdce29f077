import { Plans } from '../../../src/plan/index.ts'
import type { Budgeted, Operation } from '../budget.ts'
import { crowd } from '../crowd.ts'

const tasksPerPlan = 10
const told = { cmd: 'test', reason: 'because' }
const words = (nth: number) => ({ title: `Task ${nth}`, description: 'As it says.' })

/** Plans that were archived, all of one directory. */
export const planBudget: Budgeted = {
  name: 'plan',

  async fill(store, count) {
    const plans = new Plans(store)
    const { sid } = (await plans.start('/projects/old')).session
    await plans.setGoal(sid, { title: 'Ship', description: 'It is out.' }, told)
    await plans.addTasks(
      sid,
      Array.from({ length: tasksPerPlan }, (_, nth) => words(nth)),
      told,
    )
    await plans.archive(sid)
    await crowd(store, [sid], Math.ceil(count / tasksPerPlan))
  },

  open(store) {
    const plans = new Plans(store)
    let sid = ''
    let nth = 0
    const started = async () => {
      sid = (await plans.start(`/projects/${Math.random()}`)).session.sid
    }
    const planned = async () => {
      await started()
      await plans.setGoal(sid, { title: 'Ship', description: 'It is out.' }, told)
      await plans.addTasks(sid, [words(1), words(2)], told)
    }
    const operations: Operation[] = [
      {
        what: 'begin a plan',
        atOnce: { reads: 5, commits: 1, writes: 4 },
        inSteps: { reads: 5, commits: 4, writes: 4 },
        call: started,
      },
      {
        what: 'find by directory',
        atOnce: { reads: 4 },
        inSteps: { reads: 4 },
        call: () => plans.find('/projects/old/below'),
      },
      {
        what: 'set a goal',
        before: started,
        atOnce: { reads: 6, commits: 1, writes: 4 },
        inSteps: { reads: 19, lists: 2, entries: 1, commits: 4, writes: 4 },
        call: () => plans.setGoal(sid, { title: 'Ship', description: 'It is out.' }, told),
      },
      {
        what: 'add a task',
        before: planned,
        atOnce: { reads: 8, commits: 1, writes: 5 },
        inSteps: { reads: 25, lists: 2, entries: 1, commits: 5, writes: 5 },
        call: () => plans.addTasks(sid, [words(++nth + 100)], told),
      },
      {
        what: 'start a task',
        before: planned,
        atOnce: { reads: 14, lists: 1, entries: 2, commits: 1, writes: 6 },
        inSteps: { reads: 32, lists: 3, entries: 3, commits: 6, writes: 6 },
        call: async () => {
          const [task] = await plans.tasks(sid, 'pending')
          await plans.updateTasks(sid, [{ id: task?.id as string, status: 'in_progress' }], told)
        },
      },
      {
        what: 'read a plan',
        before: planned,
        atOnce: { reads: 5, lists: 1, entries: 2 },
        inSteps: { reads: 5, lists: 1, entries: 2 },
        call: () => plans.plan(sid),
      },
      {
        what: 'archive a plan',
        before: planned,
        atOnce: { reads: 6, commits: 1, writes: 5 },
        inSteps: { reads: 6, commits: 5, writes: 5 },
        call: () => plans.archive(sid),
      },
    ]
    return { operations, close: async () => {} }
  },
}
