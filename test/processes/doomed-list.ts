// doomed-list URL NAME: adds tasks with overlapping tags, ends some and deletes others, until it is killed.
import { TaskList } from 'holdfast/list'
import { openStore } from 'holdfast/store'
import { forEver, step } from './doomed.js'

const [url, name] = process.argv.slice(2) as [string, string]
const tasks = new TaskList(await openStore(url))
let count = 0

await forEver(2, async () => {
  const nth = count++
  const text = `${name} ${nth}`
  const tags = ['all', `seventh-${nth % 7}`, name]
  const added = await step(
    { what: 'add', text },
    () => tasks.add(text, tags),
    ({ id }) => ({ id }),
  )
  if (added === null || nth % 4 === 3) return
  const { id } = added
  const isDone = await step({ what: 'done', id }, () => tasks.update(id, { done: true }))
  if (isDone !== null && nth % 4 === 2) await step({ what: 'gone', id }, () => tasks.delete(id))
})
