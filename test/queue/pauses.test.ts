import { Queue } from '../../src/queue/index.ts'
import type { Step } from '../doomed.ts'
import { pauseRounds } from '../models/pauses.ts'
import { isTakenOver, stepsBy, toldTimes } from '../models/verdict.ts'

const ended = (steps: readonly Step[], status: string): Step[] =>
  steps.filter((step) => step.what === 'end' && step.status === status)

pauseRounds({
  model: 'queue',
  promises: ['one holder', 'exact'],
  program: 'doomed-queue',
  isRefusal: ({ what, status }) => what === 'end' && status === 'lost',
  judge: async (store, steps, pauses) => {
    const queue = new Queue(store)
    const lost: string[] = []
    const doubles: string[] = []
    for (const [id, own] of stepsBy(ended(steps, 'completed'), (step) => step.id)) {
      const { status, attempt, output } = await queue.get(id, { full: true })
      if (own.length > 1) doubles.push(`${id} was completed by ${own.map(({ by }) => by)}`)
      const [{ attempt: told, by }] = own as [Step]
      if (status !== 'completed' || attempt !== told || output !== by)
        lost.push(`${by} completed attempt ${told} of ${id}; it is ${status} ${attempt} ${output}`)
    }
    const runs = steps.filter(({ what }) => what === 'run')
    for (const [id, own] of stepsBy(runs, (step) => step.id)) {
      const inTurn = own.toSorted((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0))
      for (const [at, run] of inTurn.entries()) {
        const before = inTurn[at - 1]
        if (before?.attempt === run.attempt)
          doubles.push(`attempt ${run.attempt} of ${id} ran twice`)
        else if (before && !isTakenOver(before, run, pauses))
          doubles.push(`${id}: ${toldTimes(inTurn, pauses)}`)
      }
    }
    await queue.close()
    return { lost, doubles, wrong: [] }
  },
})
