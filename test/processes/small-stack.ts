// small-stack COUNT SHAPE…: works on a list, a plan and trees of these shapes with so many tasks, and says what failed. It is
// started with a stack that has room for far fewer arguments or calls than that.
import { TaskList } from 'holdfast/list'
import { Plans } from 'holdfast/plan'
import { openStore } from 'holdfast/store'
import { TaskTree } from 'holdfast/tree'
import { filled } from '../list/planted.ts'
import { idOf, plant, type Seed } from '../tree/planted.ts'

const [, , countGiven, ...shapesGiven] = process.argv
const count = Number(countGiven)
const failed: string[] = []

async function run(steps: Readonly<Record<string, () => unknown>>): Promise<void> {
  for (const [name, step] of Object.entries(steps))
    try {
      await step()
    } catch (error) {
      failed.push(`${name}: ${error}`)
    }
}

async function treeOf(seedOf: (n: number) => Seed, retentionDays = 30): Promise<TaskTree> {
  const store = await openStore('memory:')
  await plant(store, count, seedOf)
  return new TaskTree(store, { retentionDays })
}

const [top, last] = [idOf(0), idOf(count - 1)]
const shapes: Readonly<Record<string, (n: number) => number | null>> = {
  chain: (n) => (n === 0 ? null : n - 1),
  'one level': (n) => (n === 0 ? null : 0),
  roots: () => null,
}
for (const shape of shapesGiven) {
  const parentOf = shapes[shape] as (n: number) => number | null
  const tree = await treeOf((n) => ({ parent: parentOf(n), tags: ['all'] }))
  await run({
    [`${shape}: list`]: () => tree.list({ tag: ['all'], limit: 1000 }),
    [`${shape}: ready`]: () => tree.ready({ limit: Number.POSITIVE_INFINITY }, { withTotal: true }),
    [`${shape}: subtree`]: () => tree.subtree(top),
    [`${shape}: ancestors`]: () => tree.ancestors(last),
    [`${shape}: children`]: () => tree.children(top),
    [`${shape}: claim`]: () => tree.claim(last, 'ann'),
    [`${shape}: release`]: () => tree.release(last, 'ann'),
    [`${shape}: reparent`]: () => tree.reparent(last, top),
    [`${shape}: repair`]: () => tree.repair({ graceMs: 0 }),
    [`${shape}: delete`]: () => tree.delete(top),
  })
  const closed = await treeOf((n) => ({ parent: parentOf(n), status: 'closed' }))
  await run({
    [`${shape}: hide`]: () => closed.maintain(),
    [`${shape}: restore`]: () => closed.restore(last),
  })
  const hidden = await treeOf((n) => ({ parent: parentOf(n), status: 'closed', hiddenDay: 40 }), 0)
  await run({ [`${shape}: remove`]: () => hidden.maintain() })
}

const tasks = new TaskList(await filled(count, 4))
await run({
  query: () => tasks.query(),
  'query by tag': () => tasks.query({ any: ['tag0', 'tag1'], all: ['tag0'] }),
  tags: () => tasks.tags(),
  alike: () => tasks.alike(['0', '1'], 1),
  'rebuild the index': () => tasks.rebuildIndex(),
})

const plans = new Plans(await openStore('memory:'))
const { session } = await plans.start(process.cwd())
const { sid } = session
for (let at = 0; at < count; at += 250) {
  const words = Array.from({ length: 250 }, (_, n) => ({
    title: `task ${at + n}`,
    description: '',
  }))
  await plans.addTasks(sid, words, { cmd: 'np t a' })
}
await run({
  plan: () => plans.plan(sid),
  'tasks by status': () => plans.tasks(sid, 'pending'),
  events: () => plans.events(sid),
  'repair a plan': () => plans.repair(),
})
process.send?.(failed)
process.disconnect()
