// tree-agent URL NAME: says that it is there, and when it is told to, claims what is ready until nothing is. Then it says
// what it finished.
import { once } from 'node:events'
import { openStore, StoreError } from 'holdfast/store'
import { TaskTree, TreeError } from 'holdfast/tree'

const [url, name] = process.argv.slice(2) as [string, string]
const store = await openStore(url)
const tree = new TaskTree(store)
const done: string[] = []
let refusals = 0
// Whoever started it is gone.
process.once('disconnect', () => process.exit())
process.send?.('here')
await once(process, 'message')

/** Where too many want the store at once nothing has happened, and it is tried again. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unavailable')) throw error
    }
}

const isMine = async (id: string): Promise<boolean> => {
  const { status, claimed_by } = await patiently(() => tree.get(id))
  return status === 'in_progress' && claimed_by === name
}

/** Whether a step was made: by its answer, or where that was lost by a look. */
async function isMade(
  step: () => Promise<unknown>,
  isSeen: () => Promise<boolean>,
): Promise<boolean> {
  for (let wasInDoubt = false; ; )
    try {
      await patiently(step)
      return true
    } catch (error) {
      const isRefused = error instanceof TreeError
      const isInDoubt = error instanceof StoreError && error.code === 'unknown_outcome'
      if (!isRefused && !isInDoubt) throw error
      wasInDoubt ||= isInDoubt
      if (wasInDoubt && (await isSeen())) return true
      if (isRefused) return false
    }
}

for (;;) {
  const { tasks } = await patiently(() => tree.ready({ limit: 8 }))
  if (tasks.length === 0) break
  // Not all the first one: they would fight for it.
  const { id } = tasks[Math.floor(Math.random() * tasks.length)] as (typeof tasks)[number]
  const isClaimed = await isMade(
    () => tree.claim(id, name, { tags: [name] }),
    () => isMine(id),
  )
  const isClosed =
    isClaimed &&
    (await isMade(
      () => tree.complete(id, name, { skip_review: true }),
      async () => !(await isMine(id)),
    ))
  if (isClosed) done.push(id)
  else refusals++
}
await store[Symbol.asyncDispose]()
process.send?.({ done, refusals })
process.disconnect()
