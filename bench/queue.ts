import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue, Worker } from 'holdfast/queue'
import { openStore, type Store } from 'holdfast/store'
import { fillQueue, type Kind } from './queue-fill.js'
import { rawLifecycles } from './queue-raw.js'

const concurrency = 100
const tasks = 10_000
const rounds = 5
const kinds: readonly Kind[] = ['delayed', 'failed', 'completed']

/**
 * Whole lives of tasks (submit, claim, an empty handler, complete) on a SQLite file, beside a raw loop that writes the
 * same rows; then the same beside very many tasks that lie in the store. `npm run bench -- queue [LYING]`
 */
export async function benchQueue([lying = '1000000']: readonly string[]): Promise<void> {
  await beside()
  if (Number(lying) > 0) await flat(Number(lying))
}

async function beside(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const raw = rawLifecycles(join(folder, 'raw.db'))
    await using store = await openStore(`sqlite:${join(folder, 'queue.db')}`)
    const runRaw = () => measured(async () => raw.run(tasks, concurrency))
    await lives(store, tasks)
    await runRaw()
    const pairs: { raw: Speed; queue: Speed }[] = []
    // In turns, so that whatever else the machine does meets both alike.
    for (let round = 0; round < rounds; round++) {
      const rawFirst = round % 2 === 0 ? await runRaw() : null
      const queue = await lives(store, tasks)
      pairs.push({ queue, raw: rawFirst ?? (await runRaw()) })
    }
    raw.close()
    const share = (of: keyof Speed) =>
      Math.round(100 * median(pairs.map(({ raw, queue }) => queue[of] / raw[of])))
    console.log(
      `whole lives, concurrency ${concurrency}: raw loop ${perSecond(pairs.map(({ raw }) => raw.perSecond))}/s, ` +
        `queue ${perSecond(pairs.map(({ queue }) => queue.perSecond))}/s, ${share('perSecond')} % of raw; ` +
        `for a second of processor, raw loop ${perSecond(pairs.map(({ raw }) => raw.perProcessorSecond))}, ` +
        `queue ${perSecond(pairs.map(({ queue }) => queue.perProcessorSecond))}, ${share('perProcessorSecond')} %`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** How fast tasks are done beside many that lie in the store: once with few, then with many of each kind. */
async function flat(lying: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    await using few = await openStore(`sqlite:${join(folder, 'few.db')}`)
    for (const kind of kinds) {
      const path = join(folder, `${kind}.db`)
      await besideMany(few, path, kind, lying)
      // A million of them take a gigabyte.
      rmSync(path)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function besideMany(few: Store, path: string, kind: Kind, lying: number): Promise<void> {
  await using many = await openStore(`sqlite:${path}`)
  const filledAt = performance.now()
  await fillQueue(many, kind, lying)
  const filledMs = performance.now() - filledAt
  const pairs: { few: Speed; many: Speed }[] = []
  for (let round = 0; round < rounds; round++)
    pairs.push({ few: await lives(few, tasks), many: await lives(many, tasks) })
  const times = (of: keyof Speed) => median(pairs.map(({ few, many }) => few[of] / many[of]))
  console.log(
    `beside ${lying} ${kind}: ${perSecond(pairs.map(({ many }) => many.perSecond))}/s, ` +
      `without ${perSecond(pairs.map(({ few }) => few.perSecond))}/s, ${times('perSecond').toFixed(2)} ×; ` +
      `${times('perProcessorSecond').toFixed(2)} × the processor (filled in ${Math.round(filledMs / 1000)} s)`,
  )
}

interface Speed {
  readonly perSecond: number
  /** Beside other load this is the one to look at. It counts the threads of the engine that collect and compile, too. */
  readonly perProcessorSecond: number
}

async function measured(run: () => Promise<void>): Promise<Speed> {
  const [startedAt, used] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(used)
  return {
    perSecond: (tasks / (performance.now() - startedAt)) * 1000,
    perProcessorSecond: (tasks / (user + system)) * 1_000_000,
  }
}

/** Submitted by as many at once as are worked on at once. */
function lives(store: Store, count: number): Promise<Speed> {
  return measured(async () => {
    const queue = new Queue(store)
    let done = 0
    let finish = () => {}
    const allDone = new Promise<void>((resolve) => {
      finish = resolve
    })
    const bench = () => {
      if (++done === count) finish()
      return null
    }
    const worker = new Worker(store, { concurrency, monitor: false, handlers: { bench } })
    await worker.start()
    let next = 0
    const submit = async () => {
      while (next++ < count) await queue.submit({ type: 'bench', input: { number: next } })
    }
    await Promise.all(Array.from({ length: concurrency }, submit))
    await allDone
    // Stopped once every report is in the store.
    await worker.stop()
  })
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
const perSecond = (numbers: readonly number[]): string =>
  Math.round(median(numbers)).toLocaleString('en')
