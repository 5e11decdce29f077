import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { openStore, type Store } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { sized } from '../../size.ts'
import { temporaryFolder } from '../ground.ts'

const rounds = sized(10, 200)
const lifeMsMax = 60

interface Acknowledged {
  readonly lane: number
  readonly id: number
}

test(`${rounds} rounds of kill -9 beside processes that open and close: every acknowledged commit is there, none is half there`, {
  timeout: 240_000,
}, async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using _opener = new Child('open-close', [url])
  await using _other = new Child('open-close', [url])
  let total = 0
  for (let round = 0; round < rounds; round++) {
    const acknowledged = await writeAndKill(url, `round${round}`)
    await using store = await openStore(url)
    await assertWhole(store, `round${round}`, acknowledged)
    total += acknowledged.length
  }
  assert.ok(total > rounds, `only ${total} commits were acknowledged in all`)
})

/** Starts a writer, ends it at a random moment after its first acknowledgement; what it had told by then. */
async function writeAndKill(url: string, name: string): Promise<Acknowledged[]> {
  const script = fileURLToPath(
    new URL('../../../.tools/test/processes/acknowledge.js', import.meta.url),
  )
  const writer = spawn(process.execPath, [script, url, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(writer, 'close')
  let output = ''
  writer.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  try {
    await Promise.race([once(writer.stdout, 'data'), gone])
    await sleep(Math.random() * lifeMsMax)
  } finally {
    writer.kill('SIGKILL')
    await gone
  }
  // A last line without its newline is half an acknowledgement, and so none.
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').map(Number))
    .map(([lane, id]) => ({ lane: lane!, id: id! }))
}

async function assertWhole(
  store: Store,
  name: string,
  acknowledged: Acknowledged[],
): Promise<void> {
  const documents = await namesBelow(store, `kill/${name}/document`)
  const indexed = await namesBelow(store, `kill/${name}/index`)
  assert.deepEqual(
    [...indexed.keys()].sort(),
    [...documents.keys()].sort(),
    `${name}: half a commit`,
  )
  for (const { id } of acknowledged)
    assert.ok(documents.has(String(id)), `${name}: ${id} was acknowledged and is lost`)
  // The last key of a lane is rewritten by each of its commits: it names the newest one that is there.
  for (const [lane, last] of await namesBelow(store, `kill/${name}/last`)) {
    const newest = Math.max(
      ...[...indexed].filter(([, of]) => of.lane === lane).map(([id]) => Number(id)),
    )
    assert.equal(Number(last.value), newest, `${name}: lane ${lane} is half a commit behind`)
  }
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
