// jobs-submitter URL KEYS DEATH: says that it is there, and when it is told to, submits the same keys as everybody else, in
// an order of its own: each once alone, then three times among many. Tells which id each got. With a DEATH from 1 on it dies, as by a power cut, right after it
// has written the entry of that many keys, and before it has written anything else.
import { once } from 'node:events'
import { TaskManager } from 'holdfast/jobs'
import { openStore, type Store, StoreError, type Write } from 'holdfast/store'

const inFlight = 8
const atOnce = 50
const [url, keys, death] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)
const manager = new TaskManager(dying(store, Number(death)))
const ids = new Map<string, string>()
const all = Array.from({ length: Number(keys) }, (_, at) => `key ${at}`)

// Whoever started it is gone, and perhaps the server with it.
process.once('disconnect', () => process.exit())
process.send?.('here')
await once(process, 'message')
await inLanes(shuffled(all), inFlight, (key) => submit([key]))
const chunks = Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) =>
  all.slice(at * atOnce, (at + 1) * atOnce),
)
await inLanes(shuffled(chunks), 1, (chunk) => submit(shuffled([...chunk, ...chunk, ...chunk])))
await manager.close()
await store[Symbol.asyncDispose]()
process.send?.(Object.fromEntries(ids))
process.disconnect()

/** What a key is for: whatever became of a submission, it can be made again. */
async function submit(some: readonly string[]): Promise<void> {
  for (;;)
    try {
      return check(some, await submitOnce(some))
    } catch (error) {
      const isPassing = error instanceof StoreError && /unavailable|unknown/.test(error.code)
      if (!isPassing) throw error
    }
}

async function submitOnce(some: readonly string[]): Promise<string[]> {
  const payload = new TextEncoder().encode(String(process.pid))
  const tasks = some.map((idempotencyKey) => ({ idempotencyKey, payload }))
  const [task] = tasks
  return task && tasks.length === 1 ? [await manager.submit(task)] : manager.submitMany(tasks)
}

function check(some: readonly string[], answers: readonly string[]): void {
  for (const [at, key] of some.entries()) {
    const id = answers[at] as string
    if ((ids.get(key) ?? id) !== id) throw new Error(`${key} is ${id} and ${ids.get(key)}`)
    ids.set(key, id)
  }
}

async function inLanes<T>(items: T[], lanes: number, step: (item: T) => Promise<void>) {
  const work = async () => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await step(item)
  }
  await Promise.all(Array.from({ length: lanes }, work))
}

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items]
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[left[at], left[other]] = [left[other] as T, left[at] as T]
  }
  return left
}

/** Where key and task are one commit, the key goes in alone before the death: so each store is left with half. */
function dying(inner: Store, count: number): Store {
  let left = count
  const commit = async (writes: readonly Write[]) => {
    const key = writes.find(({ type, key }) => type === 'create' && key.startsWith('tasks/idem/'))
    if (!key || left !== 1) {
      const result = await inner.commit(writes)
      if (result.ok && key) left--
      return result
    }
    const result = await inner.commit([key])
    if (result.ok) process.kill(process.pid, 'SIGKILL')
    return result
  }
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'commit') return commit
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
