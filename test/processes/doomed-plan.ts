// doomed-plan URL NAME FOLDER: adds tasks to the plan of a folder and changes their status, until it is killed.
import { Plans } from 'holdfast/plan'
import { openStore } from 'holdfast/store'
import { forEver, step } from './doomed.js'

const [url, name, folder] = process.argv.slice(2) as [string, string, string]
const plans = new Plans(await openStore(url))
const { session } = await plans.start(folder)
const told = { cmd: `writer ${name}`, reason: 'because' }
let count = 0

await forEver(2, async () => {
  const nth = count++
  const text = `${name} ${nth}`
  const added = await step(
    { what: 'add', text },
    () => plans.apply(session.sid, { kind: 'add-tasks', tasks: [{ title: text }] }, told),
    ({ events, tasks }) => ({ id: tasks[0]?.id, seq: events[0]?.seq }),
  )
  const id = added?.tasks[0]?.id
  for (const status of ['in_progress', 'completed'].slice(0, nth % 3)) {
    if (id === undefined) return
    const changed = await step(
      { what: 'status', id, status },
      () => plans.updateTasks(session.sid, [{ id, status }], told),
      ([event]) => ({ seq: event?.seq }),
    )
    if (changed === null) return
  }
})
