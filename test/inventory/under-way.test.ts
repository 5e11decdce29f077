import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import { checkedExport, checkup, imported } from '../../src/inventory/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { flaky, openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { chunksOf, exportOf } from './filled.ts'

const rounds = 3
const writesMax = 60

test('what is exported while others write comes in whole, with complete histories', async () => {
  await using folder = await temporaryFolder()
  await using source = await openStore(`sqlite:${folder.path('source.db')}`)
  const [plans, tree] = [new Plans(source), new TaskTree(source)]
  const { session } = await plans.start(folder.path(''))
  const { id } = await tree.create({ title: '0' }, 'ann')
  for (let nth = 0; nth < 50; nth++) await tree.create({ title: `Beside ${nth}` }, 'ann')
  let isOver = false
  let count = 0
  const writing = (async () => {
    for (; !isOver && count < writesMax; count++) {
      const told = { cmd: 'test' }
      await plans.addTasks(session.sid, [{ title: `Task ${count}`, description: '' }], told)
      await tree.update(id, { title: String(count + 1) }, 'ann')
      await turn()
    }
  })()
  const texts: string[] = []
  // Slow enough that much is written between one look and the next.
  const slow = flaky(source, { delayMsMax: 1 })
  for (let nth = 0; nth < rounds; nth++) texts.push(await exportOf(slow))
  isOver = true
  await writing
  assert.ok(count > rounds)
  for (const text of texts) {
    await using target = await openStore('memory:')
    const contents = await checkedExport(chunksOf(text))
    const { left } = await imported(target, contents, chunksOf(text), { merge: false })
    assert.deepEqual(left, [])
    for await (const { name, ok, detail } of checkup(target, {}))
      assert.ok(ok || name === 'durability', `${name}: ${detail}`)
    const copied = new TaskTree(target)
    const titles = (await copied.history(id)).filter(({ field }) => field === 'title')
    assert.equal(titles.length, Number((await copied.get(id)).title))
    const { tasks } = await new Plans(target).plan(session.sid)
    assert.equal((await new Plans(target).events(session.sid)).total, tasks.length)
  }
})
