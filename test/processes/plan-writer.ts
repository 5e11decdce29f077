// plan-writer URL SID: adds a task for every title that it is sent, and says when that was done.
import { Plans } from 'holdfast/plan'
import { openStore } from 'holdfast/store'

const [url, sid] = process.argv.slice(2) as [string, string]
const plans = new Plans(await openStore(url))
process.on('message', async (title: string) => {
  await plans.addTasks(sid, [{ title }], { cmd: 'np t a' })
  process.send?.(Date.now())
})
process.send?.('ready')
