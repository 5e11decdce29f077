import { afterAll, beforeAll } from 'vitest'
import { Served } from './served.ts'

export const taskCount = 10_000

/** A served store with that many tasks, for the tests of a file. */
export function withManyTasks(): { readonly served: Served } {
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
    const tasks = Array.from({ length: taskCount }, (_, at) => ({
      type: `type-${at % 7}`,
      input: { order: at, note: 'as large as an ordinary task' },
    }))
    for (let at = 0; at < taskCount; at += 1_000)
      await served.queue.submitMany(tasks.slice(at, at + 1_000))
  })
  afterAll(() => served[Symbol.asyncDispose]())
  return {
    get served() {
      return served
    },
  }
}
