import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { openStore, type Store } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { Doomed } from '../../doomed.ts'
import { recorded } from '../../record.ts'
import { sized } from '../../size.ts'
import { temporaryFolder } from '../ground.ts'

const rounds = sized(10, 200)
const lifeMsMax = 60

interface Acknowledged {
  readonly lane: number
  readonly id: number
}

test(`${rounds} rounds of kill -9 beside processes that open and close: every acknowledged commit is there, none is half there`, async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using _opener = new Child('open-close', [url])
  await using _other = new Child('open-close', [url])
  const record = recorded({
    what: 'commits of 3 writes: writer killed, others open and close',
    store: 'SQLite',
    promises: ['durable', 'whole'],
  })
  let total = 0
  for (let round = 0; round < rounds; round++) {
    const acknowledged = await writeAndKill(url, `round${round}`)
    await using store = await openStore(url)
    const lost = await lostOf(store, `round${round}`, acknowledged)
    const [operations, lostCount] = [acknowledged.length, lost.length]
    record({ killRounds: 1, faults: 1, operations, lost: lostCount })
    assert.deepEqual(lost, [], `round ${round}`)
    total += operations
  }
  assert.ok(total > rounds, `only ${total} commits were acknowledged in all`)
})

/** Starts a writer, ends it at a random moment after its first acknowledgement; what it had told by then. */
async function writeAndKill(url: string, name: string): Promise<Acknowledged[]> {
  await using writer = new Doomed('acknowledge', name, [url, name])
  await writer.telling('\n')
  await sleep(Math.random() * lifeMsMax)
  await writer.kill()
  return writer.lines
    .map((line) => line.split(' ').map(Number))
    .map(([lane, id]) => ({ lane: lane!, id: id! }))
}

/** Of what was acknowledged, what is not there. Fails where anything is half there. */
async function lostOf(
  store: Store,
  name: string,
  acknowledged: Acknowledged[],
): Promise<Acknowledged[]> {
  const documents = await namesBelow(store, `kill/${name}/document`)
  const indexed = await namesBelow(store, `kill/${name}/index`)
  assert.deepEqual(
    [...indexed.keys()].sort(),
    [...documents.keys()].sort(),
    `${name}: half a commit`,
  )
  // The last key of a lane is rewritten by each of its commits: it names the newest one that is there.
  for (const [lane, last] of await namesBelow(store, `kill/${name}/last`)) {
    const newest = Math.max(
      ...[...indexed].filter(([, of]) => of.lane === lane).map(([id]) => Number(id)),
    )
    assert.equal(Number(last.value), newest, `${name}: lane ${lane} is half a commit behind`)
  }
  return acknowledged.filter(({ id }) => !documents.has(String(id)))
}

async function namesBelow(store: Store, prefix: string) {
  const names = new Map<string, { lane: string; value: string }>()
  for await (const { key, value } of store.scan(prefix)) {
    const segments = key.split('/')
    const text = new TextDecoder().decode(value)
    names.set(segments.at(-1) as string, { lane: segments.at(-2) as string, value: text })
  }
  return names
}
