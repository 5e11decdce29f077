// doomed-tree URL NAME: creates families of tasks, and claims, releases and closes what is ready, until it is killed.
import { openStore } from 'holdfast/store'
import { TaskTree } from 'holdfast/tree'
import { forEver, step } from './doomed.js'

const [url, name] = process.argv.slice(2) as [string, string]
const tree = new TaskTree(await openStore(url))
let count = 0

async function create(): Promise<void> {
  const text = `${name} ${count++}`
  const parent = await step(
    { what: 'create', text },
    () => tree.create({ title: text }, name),
    ({ id }) => ({ id }),
  )
  if (parent === null) return
  await step(
    { what: 'create', text: `${text} child` },
    () => tree.createSubtask(parent.id, { title: `${text} child` }, name),
    ({ id }) => ({ id }),
  )
}

async function work(agent: string): Promise<void> {
  const page = await step({ what: 'read' }, () => tree.ready({ limit: 8 }))
  const tasks = page?.tasks ?? []
  // Not all the first one: they would fight for it.
  const id = tasks[Math.floor(Math.random() * tasks.length)]?.id
  if (id === undefined) return create()
  if ((await step({ what: 'claim', id, text: agent }, () => tree.claim(id, agent))) === null) return
  if (Math.random() < 0.2)
    await step({ what: 'release', id, text: agent }, () => tree.release(id, agent))
  else
    await step({ what: 'close', id, text: agent }, () =>
      tree.complete(id, agent, { skip_review: true }),
    )
}

await forEver(3, (lane) => (lane === 0 ? create() : work(`${name}-${lane}`)))
