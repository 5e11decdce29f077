import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue, Worker } from 'holdfast/queue'
import { openStore, type Store } from 'holdfast/store'
import { fillQueue, type Kind } from './queue-fill.js'
import { rawLifecycles } from './queue-raw.js'
import { blankRows, documentRows } from './queue-rows.js'

const concurrency = 100
const tasks = 5_000
const rounds = 15
const kinds: readonly Kind[] = ['delayed', 'failed', 'completed']

/**
 * Whole lives of tasks (submit, claim, an empty handler, complete) on a SQLite file, beside a raw loop that writes the
 * same rows; then the same beside very many tasks that lie in the store. `npm run bench -- queue [LYING]`
 */
export async function benchQueue([lying = '1000000']: readonly string[]): Promise<void> {
  await beside()
  if (Number(lying) > 0) await flat(Number(lying))
}

/** Two raw loops: one writes bytes that were made once, the other makes, reads and changes the documents that it writes. */
const raws = { 'made once': blankRows, 'real documents': documentRows }

async function beside(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    await using store = await openStore(`sqlite:${join(folder, 'queue.db')}`)
    const loops = Object.entries(raws).map(([name, rows]) => {
      const raw = rawLifecycles(join(folder, `${name}.db`), rows)
      const run = () => measured(async () => raw.run(tasks, concurrency))
      return { name, run, close: raw.close, speeds: [] as Speed[] }
    })
    const queue = { run: () => lives(store, tasks), speeds: [] as Speed[] }
    const all = [...loops, queue]
    for (const { run } of all) await run()
    // In turns, so that whatever else the machine does meets all alike.
    for (let round = 0; round < rounds; round++)
      for (const each of round % 2 === 0 ? all : all.toReversed())
        each.speeds.push(await each.run())
    console.log(`whole lives, concurrency ${concurrency}: queue ${told(queue.speeds)}`)
    for (const { name, close, speeds } of loops) {
      close()
      const share = (of: keyof Speed) =>
        Math.round(
          100 * median(queue.speeds.map((speed, at) => speed[of] / (speeds[at] as Speed)[of])),
        )
      console.log(
        `raw loop, ${name}: ${told(speeds)}; the queue has ${share('perSecond')} % of it by the clock, ` +
          `${share('perProcessorSecond')} % for a second of processor`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const told = (speeds: readonly Speed[]): string =>
  `${perSecond(speeds.map((speed) => speed.perSecond))}/s, ` +
  `${perSecond(speeds.map((speed) => speed.perProcessorSecond))} for a second of processor`

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
