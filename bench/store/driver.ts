import { create, openStore } from 'holdfast/store'
import { keysOf, pickId, type Side, times, value, type Workload } from './workload.js'

/** The workload through the store port, as any model uses it. */
export async function openDriver(url: string, workload: Workload): Promise<Side> {
  const store = await openStore(url)
  const { writesPerCommit, inFlight, getsInFlight } = workload
  return {
    commits: ({ lane, from, count }) =>
      times(count, inFlight, async (step) => {
        const writes = keysOf(lane, from + step, writesPerCommit).map((key) => create(key, value))
        if (!(await store.commit(writes)).ok) throw new Error('a fresh key was taken')
      }),
    gets: (reading) =>
      times(reading.count, getsInFlight, async (step) => {
        const [key] = keysOf(reading.lane, pickId(step, reading), 1)
        if (!(await store.get(key as string))) throw new Error('a key is missing')
      }),
    async scans() {
      let count = 0
      for await (const entry of store.scan('bench')) count += entry.value.length > 0 ? 1 : 0
      return count
    },
    close: async () => store[Symbol.asyncDispose](),
  }
}
