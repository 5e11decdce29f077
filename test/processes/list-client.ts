// list-client URL ROUNDS NAME: says that it is there, and when it is told to, adds and removes tasks with overlapping
// tags. Then it says which are left.
import { once } from 'node:events'
import { TaskList } from 'holdfast/list'
import { openStore } from 'holdfast/store'

const [url, rounds, name] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)
const tasks = new TaskList(store)
const mine: string[] = []
process.send?.('here')
await once(process, 'message')
const tagsOf = (round: number) => ['all', `even-${round % 2}`, `seventh-${round % 7}`]

for (let round = 0; round < Number(rounds); round++) {
  const { id } = await tasks.add(`${name} ${round}`, tagsOf(round))
  mine.push(id)
  if (round % 5 === 4) await tasks.update(mine[0] as string, { tags: tagsOf(round + 1) })
  // Half of what was added goes again, each time from among the older ones.
  if (round % 2 === 1) await tasks.delete(mine.shift() as string)
}
await store[Symbol.asyncDispose]()
process.send?.(mine)
process.disconnect()
