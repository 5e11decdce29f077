import { randomUUID } from 'node:crypto'
import { encodeText } from '../collection/index.ts'
import {
  type Check,
  clockCheck,
  create,
  openStore,
  permissionCheck,
  remove,
  type Store,
  StoreError,
  schemeOf,
  update,
} from '../store/internal.ts'

/** What to look at beside the usual. */
export interface ExaminationOptions {
  /** Where a page that shows the queue in a browser comes from. */
  readonly origin?: string | undefined
}

const originDefault = 'http://localhost'
/** Below where the queue keeps its own notes. */
const probePrefix = 'qo_own/probe'
const rounds = 10
const writersEach = 16

/**
 * Finds out whether a store can carry a queue: credentials, versions, clock, whether one of many writers wins, and whether
 * a browser may read it. One check after the other; throws where there is no such store.
 */
export async function* examine(
  url: string,
  { origin = originDefault }: ExaminationOptions = {},
): AsyncGenerator<Check> {
  const scheme = schemeOf(url)
  if (scheme?.examine) return yield* scheme.examine(url, { origin })
  const permissions = await permissionCheck(url)
  const store = await opened(url)
  if ('ok' in store) {
    yield store
    return
  }
  try {
    yield* examineOther(store, url)
    if (permissions !== null) yield permissions
  } finally {
    await store[Symbol.asyncDispose]()
  }
}

async function opened(url: string): Promise<Store | Check> {
  try {
    return await openStore(url, { create: false })
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason === 'missing_store') throw error
    if (error.code === 'invalid' && error.reason !== 'foreign_file') throw error
    return { name: 'credentials', ok: false, detail: error.message }
  }
}

async function* examineOther(store: Store, url: string): AsyncGenerator<Check> {
  const isServer = schemeOf(url)?.sharedBy === 'network'
  yield {
    name: 'credentials',
    ok: true,
    detail: isServer ? 'The server takes them.' : 'None are needed.',
  }
  yield { name: 'versioning', ok: true, detail: 'The queue keeps the history of tasks itself.' }
  yield isServer
    ? clockCheck((await store.now()) - Date.now(), 'the server')
    : { name: 'clock', ok: true, detail: 'The clock of this machine is the one that counts.' }
  yield durability(store)
  yield await raceProbe(store, url)
  yield { name: 'CORS', ok: true, detail: 'No browser reads this store.' }
}

function durability({ limits }: Store): Check {
  const details = {
    durable: 'What is acknowledged survives the death of the machine.',
    unverified:
      'The server does not tell that it syncs before it acknowledges; see docs/stores/nats.md.',
    none: 'What is stored is gone with the process.',
  }
  return { name: 'durability', ok: true, detail: details[limits.durability] }
}

/** Two connections race for the same keys; one writer of each round may win. */
async function raceProbe(store: Store, url: string): Promise<Check> {
  const name = 'race probe'
  // A store in memory that has no name is nobody else's.
  const other = url === 'memory:' ? store : await openStore(url, { create: false })
  try {
    for (let round = 0; round < rounds; round++) {
      const flaw = await raceOnce([store, other])
      if (flaw !== null) return { name, ok: false, detail: flaw }
    }
    return { name, ok: true, detail: 'One of many writers wins, every time.' }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { name, ok: false, detail: error.message }
  } finally {
    if (other !== store) await other[Symbol.asyncDispose]()
  }
}

async function raceOnce(stores: readonly [Store, Store]): Promise<string | null> {
  const [store] = stores
  const key = `${probePrefix}/${randomUUID()}`
  const race = async (run: (store: Store, writer: number) => ReturnType<Store['commit']>) => {
    const writers = Array.from({ length: writersEach }, (_, at) => at)
    const outcomes = await Promise.all(stores.flatMap((each) => writers.map((at) => run(each, at))))
    return outcomes.filter(({ ok }) => ok).length
  }
  const created = await race((each, at) => each.commit([create(key, encodeText(`${at}`))]))
  const entry = await store.get(key)
  if (created !== 1 || entry === null) return `Of many creations of one key, ${created} won.`
  const updated = await race((each, at) => each.commit([update(entry, encodeText(`${at}!`))]))
  const last = await store.get(key)
  if (last) await store.commit([remove(last)])
  return updated === 1 ? null : `Of many updates of one key, ${updated} won.`
}
