import { TaskManager } from '../../src/jobs/index.ts'
import type { Step } from '../doomed.ts'
import { pauseRounds } from '../models/pauses.ts'
import { isTakenOver, stepsBy, toldTimes } from '../models/verdict.ts'
import { text } from './kit.ts'

const isEnd = ({ what }: Step): boolean => what === 'complete' || what === 'fail'
const isDone = ({ outcome }: Step): boolean => outcome === 'done'

/** From when a worker knew of its claim until it was about to end it: so long it took the task for its own. */
function holdsOf(own: readonly Step[]): Step[] {
  const claims = own.filter((step) => step.what === 'claim' && isDone(step))
  return claims
    .map((claim) => {
      const end = own.find((step) => isEnd(step) && step.attempt === claim.attempt)
      return { ...claim, from: claim.to, to: end?.from ?? Number.POSITIVE_INFINITY }
    })
    .sort((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0))
}

pauseRounds({
  model: 'jobs',
  promises: ['one holder', 'exact'],
  program: 'doomed-jobs',
  isRefusal: (step) => isEnd(step) && step.outcome === 'refused',
  judge: async (store, steps, pauses) => {
    const manager = new TaskManager(store)
    const lost: string[] = []
    const doubles: string[] = []
    for (const [id, own] of stepsBy(steps, (step) => step.id)) {
      const completions = own.filter((step) => step.what === 'complete' && isDone(step))
      if (completions.length > 1) doubles.push(`${id} by ${completions.map(({ by }) => by)}`)
      const task = await manager.get(id)
      const told = completions[0]
      const isStored = told?.attempt === task.attempts && told.text === text(task.result)
      if (told && !(task.status === 'completed' && isStored))
        lost.push(`${told.by} completed attempt ${told.attempt} of ${id}: ${JSON.stringify(task)}`)
      const holds = holdsOf(own)
      for (const [at, hold] of holds.entries()) {
        const before = holds[at - 1]
        if (before?.attempt === hold.attempt) doubles.push(`attempt ${hold.attempt} of ${id} twice`)
        else if (before && !isTakenOver(before, hold, pauses))
          doubles.push(`${id}: ${toldTimes(holds, pauses)}`)
      }
    }
    await manager.close()
    return { lost, doubles, wrong: [] }
  },
})
