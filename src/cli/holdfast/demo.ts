import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, mutate, openStore, type Store, update } from '../../store/internal.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (value: Uint8Array) => new TextDecoder().decode(value)

type Say = (text: string) => void

/** What the store does, one property at a time, on a file that is gone afterwards. */
export async function demo(say: Say): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'))
  const url = `sqlite:${join(folder, 'store.db')}`
  try {
    say(`A store in one SQLite file: openStore('${url}')\n`)
    await using store = await openStore(url)
    await using other = await openStore(url)
    await showCommit(say, store)
    await showConflict(say, store, other)
    await showWatch(say, store, other)
    await showRace(say, store, url)
    await showThroughput(say, store)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  say('Next: README.md shows the library, docs/ has the rest, npm test checks all of it.')
}

async function showCommit(say: Say, store: Store): Promise<void> {
  say('1. A task and its index entries are one commit: all of it, or nothing.')
  const task = { title: 'Buy milk', status: 'open' }
  await store.commit([
    create('demo/task/1', encode(JSON.stringify(task))),
    create('demo/status/open/1', encode('')),
    create('demo/tag/errand/1', encode('')),
  ])
  for await (const { key, revision, value } of store.scan('demo'))
    say(`   ${key.padEnd(20)} revision ${revision}  ${decode(value)}`)
}

async function showConflict(say: Say, store: Store, other: Store): Promise<void> {
  say('\n2. Every write is a compare-and-swap: of two who read the same state, one wins.')
  const [mine, theirs] = await Promise.all([store.get('demo/task/1'), other.get('demo/task/1')])
  const first = await other.commit([update(theirs!, encode('{"title":"Buy oat milk"}'))])
  const second = await store.commit([update(mine!, encode('{"title":"Buy beer"}'))])
  say(`   theirs: ${JSON.stringify(first)}`)
  say(`   mine:   ${JSON.stringify(second)}   (a value, not an exception)`)
}

async function showWatch(say: Say, store: Store, other: Store): Promise<void> {
  say('\n3. Whoever watches learns of it, in this process or another.')
  const end = new AbortController()
  for await (const event of store.watch('demo/task', end.signal)) {
    say(`   ${JSON.stringify(event)}`)
    if (event.type === 'key') end.abort()
    else await other.commit([create('demo/task/2', encode('{"title":"Ship it"}'))])
  }
}

async function showRace(say: Say, store: Store, url: string): Promise<void> {
  const [openers, each] = [4, 250]
  say(`\n4. ${openers} openers increment one counter ${each} times each, at once.`)
  const plusOne = (value?: Uint8Array) => encode(String(Number(value ? decode(value) : 0) + 1))
  const work = async () => {
    await using own = await openStore(url)
    for (let step = 0; step < each; step++)
      await mutate(own, 'demo/counter', (entry) => plusOne(entry?.value), { attemptsMax: 1000 })
  }
  await Promise.all(Array.from({ length: openers }, work))
  const counter = await store.get('demo/counter')
  say(`   ${openers} × ${each} = ${decode(counter!.value)}`)
}

async function showThroughput(say: Say, store: Store): Promise<void> {
  const count = 20_000
  say(`\n5. ${count.toLocaleString('en')} durable commits of three writes, 256 at a time.`)
  const value = new Uint8Array(300)
  let next = 0
  const work = async () => {
    while (next < count) {
      const id = String(next++).padStart(8, '0')
      const keys = [`demo/bulk/${id}`, `demo/index/a/${id}`, `demo/index/b/${id}`]
      await store.commit(keys.map((key) => create(key, value)))
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: 256 }, work))
  const perSecond = Math.round(count / ((performance.now() - start) / 1000))
  say(`   ${perSecond.toLocaleString('en')} commits per second\n`)
}
