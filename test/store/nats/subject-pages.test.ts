import assert from 'node:assert/strict'
import { test } from 'vitest'
import { connectNats } from '../../../src/store/drivers/nats/connection.ts'
import { allSubjects, subjectPage } from '../../../src/store/drivers/nats/subject-pages.ts'
import { parseNatsUrl } from '../../../src/store/drivers/nats/url.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { startNats } from '../../servers/nats.ts'

const count = 101_000
const subjects = Array.from({ length: count }, (_, id) => `$KV.ns.${String(id).padStart(6, '0')}`)

test('subjects that vanish between two pages hide no others', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  await store.commit([create('ns/first', new Uint8Array())])
  const connection = await connectNats(parseNatsUrl(server.url.replace('nats:', '')))
  const { nats, manager } = connection
  for (const subject of subjects) nats.publish(subject)
  await eventually(async () =>
    assert.equal((await manager.streams.info('KV_ns')).state.messages, count + 1),
  )
  // Once by less than two pages have in common, once by more.
  for (const [from, to] of [
    [0, 500],
    [1_000, 5_000],
  ] as const) {
    let pages = 0
    const found = await allSubjects(async (offset) => {
      if (++pages === 2)
        for (const filter of subjects.slice(from, to))
          await manager.streams.purge('KV_ns', { filter })
      return subjectPage(connection, { stream: 'KV_ns', filter: '$KV.ns.>', offset })
    })
    assert.ok(pages > 1)
    assert.deepEqual(
      subjects.slice(to).filter((subject) => !found.has(subject)),
      [],
    )
    assert.ok(found.has('$KV.ns.first'))
  }
  await nats.close()
})
