import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import { checkedExport, checkup, exported, imported } from '../../src/inventory/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { flaky, openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { chunksOf, exportOf } from './filled.ts'

const rounds = 2
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

test('an export of a SQLite file is of one moment, whoever writes meanwhile', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('source.db')}`
  await using source = await openStore(url)
  await using other = await openStore(url)
  const [list, tree] = [new TaskList(other), new TaskTree(other)]
  const end = new AbortController()
  const writing = (async () => {
    for (let count = 0; count < writesMax && !end.signal.aborted; count++) {
      await list.add(`Task ${count}`)
      await tree.create({ title: `Task ${count}` })
      await turn()
    }
  })()
  for (let nth = 0; nth < rounds; nth++) {
    const { models = {} } = await exportedWhole(source)
    const { list: added = 0, tree: created = 0 } = models
    assert.ok(added === created || added === created + 1, `${added} and ${created}`)
  }
  end.abort()
  await writing
})

test('elsewhere it tells what changed meanwhile, and leaves out the parts of what came too late', async () => {
  await using folder = await temporaryFolder()
  const [first, second] = ['first', 'second'].map((name) => folder.path(name)) as [string, string]
  for (const path of [first, second]) mkdirSync(path)
  await using store = await openStore('memory:')
  const list = new TaskList(store)
  const { id } = await list.add('One')
  const plans = new Plans(store)
  const { session } = await plans.start(first)
  await plans.setGoal(session.sid, { title: 'First' }, { cmd: 'test' })
  let late = ''
  // Sessions are listed first, then what belongs to them.
  const busy = whenListed(store, 'np/s', 2, async () => {
    late = (await plans.start(second)).session.sid
    await plans.setGoal(late, { title: 'Late' }, { cmd: 'test' })
    await list.update(id, { text: 'Two' })
  })
  const { text, changing, changingKeys } = await exportedWhole(busy)
  assert.ok(late !== '' && !text.includes(late))
  assert.equal(changing, changingKeys.length)
  assert.ok(changingKeys.includes(`utask_tasks/${id}`))
  assert.ok(changingKeys.includes(`np/s/${late}/meta`))
  assert.ok(!changingKeys.some((key) => key.includes(session.sid)))
  await using target = await openStore('memory:')
  const contents = await checkedExport(chunksOf(text))
  await imported(target, contents, chunksOf(text), { merge: false })
  const { sessions } = await new Plans(target).list()
  assert.deepEqual(
    sessions.map(({ session: { sid } }) => sid),
    [session.sid],
  )
})

async function exportedWhole(store: Store) {
  const texts = exported(store, { kind: 'test', at: 0 })
  for (let text = ''; ; ) {
    const { done, value } = await texts.next()
    if (done) return { text, ...value }
    text += value
  }
}

/** A store to which something happens just before a prefix is listed for the nth time. */
function whenListed(
  store: Store,
  prefix: string,
  nth: number,
  happens: () => Promise<void>,
): Store {
  let count = 0
  return altered(store, {
    async *list(from, options) {
      if (from === prefix && ++count === nth) await happens()
      yield* store.list(from, options)
    },
  })
}
