import { Queue } from '../../../../src/queue/index.ts'
import { create, openStore } from '../../../../src/store/index.ts'
import type { Observer } from '../../model.ts'
import type { Tools } from './handlers.ts'
import { taskPrefix } from './stored.ts'

const historyPrefix = 'qo_own/history'

/** The history goes wherever the documents go: a copy of them in another store knows all of it. */
export async function checkMoved({ oracle }: Tools, { store }: Observer): Promise<void> {
  const other = await openStore('memory:')
  for (const prefix of [taskPrefix.slice(0, -1), historyPrefix])
    for await (const { key, value } of store.scan(prefix)) await other.commit([create(key, value)])
  const queue = new Queue(other, { now: () => 0 })
  for (const id of oracle.tasks.keys())
    oracle.told(
      id,
      (await queue.history(id)).map(({ task }) => task),
      oracle.now,
    )
  await queue.close()
  await other[Symbol.asyncDispose]()
}
