// tree-agent URL NAME: says that it is there, claims what is ready until nothing is, and says what it finished.
import { openStore, StoreError } from 'holdfast/store'
import { TaskTree, TreeError } from 'holdfast/tree'

const [url, name] = process.argv.slice(2) as [string, string]
const store = await openStore(url)
const tree = new TaskTree(store)
const done: string[] = []
let refusals = 0
process.send?.('here')

/** Where too many want the store at once nothing has happened, and it is tried again. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unavailable')) throw error
    }
}

for (;;) {
  const { tasks } = await patiently(() => tree.ready({ limit: 20 }))
  if (tasks.length === 0) break
  // Not all the first one: they would fight for it.
  const task = tasks[Math.floor(Math.random() * tasks.length)] as (typeof tasks)[number]
  try {
    await patiently(() => tree.claim(task.id, name, { tags: [name] }))
    await patiently(() => tree.complete(task.id, name, { skip_review: true }))
    done.push(task.id)
  } catch (error) {
    if (!(error instanceof TreeError)) throw error
    refusals++
  }
}
await store[Symbol.asyncDispose]()
process.send?.({ done, refusals })
process.disconnect()
