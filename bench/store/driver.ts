import { create, openStore } from 'holdfast/store'
import { keysOf, pickId, type Side, value, workload } from './workload.js'

/** The workload through the store port, as any model uses it. */
export async function openDriver(path: string): Promise<Side> {
  const store = await openStore(`sqlite:${path}`)
  const commitOne = async (lane: string, id: number) => {
    const { ok } = await store.commit(keysOf(lane, id).map((key) => create(key, value)))
    if (!ok) throw new Error('a fresh key was taken')
  }
  return {
    async commits(lane, count) {
      let next = 0
      const worker = async () => {
        while (next < count) await commitOne(lane, next++)
      }
      await Promise.all(Array.from({ length: workload.inFlight }, worker))
      return count
    },
    async gets(lane) {
      for (let step = 0; step < workload.gets; step++)
        if (!(await store.get(keysOf(lane, pickId(step))[0]))) throw new Error('a key is missing')
      return workload.gets
    },
    async scans() {
      let count = 0
      for await (const entry of store.scan('bench')) count += entry.value.length > 0 ? 1 : 0
      return count
    },
    close: async () => store[Symbol.asyncDispose](),
  }
}
