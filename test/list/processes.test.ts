import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskList } from '../../src/list/index.ts'
import { openStore } from '../../src/store/index.ts'
import { Child } from '../child.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { assertTagLists, tagLists } from './layout.ts'

const [processes, rounds] = [sized(4, 8), sized(10, 200, 100)]

/** Several processes add, retag and remove at once; nothing is lost, and every list is exactly right. */
async function race(name: RecordedStore, url: string): Promise<void> {
  const record = recorded({
    what: 'list: clients change the same tags',
    store: name,
    promises: ['durable', 'exact'],
  })
  const clients = Array.from(
    { length: processes },
    (_, at) => new Child('list-client', [url, String(rounds), `client ${at}`]),
  )
  try {
    await Child.startTogether(clients)
    const left = (await Promise.all(clients.map((client) => client.message<string[]>()))).flat()
    await using store = await openStore(url)
    const found = (await new TaskList(store).query()).map(({ id }) => id)
    const lost = left.filter((id) => !found.includes(id)).length
    record({ faults: 0, operations: processes * rounds * 1.5, lost })
    assert.equal(left.length, (processes * rounds) / 2)
    assert.deepEqual(found.sort(), left.sort())
    await assertTagLists(store)
    assert.equal((await tagLists(store)).get('all')?.size, left.length)
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]()
  }
}

describe(`${processes} processes, ${rounds} adds and ${rounds / 2} removes each, with overlapping tags`, () => {
  test('on one SQLite file', async () => {
    await using folder = await temporaryFolder()
    await race('SQLite', `sqlite:${folder.path('tasks.db')}`)
  })

  test('on one NATS server', async () => {
    await using server = await startNats()
    await race('NATS', server.url)
  })
})
