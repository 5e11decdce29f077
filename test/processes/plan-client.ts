// plan-client URL FOLDER ROUNDS NAME: says that it is there, and when it is told to, adds and updates tasks in the session
// of a folder. Then it says how many events that were. Tells of each round, so that it can be killed in the midst of one.
import { once } from 'node:events'
import { Plans } from 'holdfast/plan'
import { openStore } from 'holdfast/store'

const [url, folder, rounds, name] = process.argv.slice(2) as [string, string, string, string]
const store = await openStore(url)
const plans = new Plans(store)
const { session } = await plans.start(folder)
const told = { cmd: `client ${name}`, reason: 'because' }
let events = 0
process.send?.('here')
await once(process, 'message')

for (let round = 0; round < Number(rounds); round++) {
  const tasks = [{ title: `${name} ${round}` }, { title: `shared ${round}`, description: 'by all' }]
  const added = await plans.addTasks(session.sid, tasks, told)
  const [shared] = await plans.tasks(session.sid, round % 2 ? 'in_progress' : 'pending')
  const changes = shared ? [{ id: shared.id, status: round % 2 ? 'done' : 'doing' }] : []
  const changed = await plans.updateTasks(session.sid, changes, told)
  events += added.length + changed.length
  process.send?.(round)
}
await store[Symbol.asyncDispose]()
process.send?.({ events })
process.disconnect()
