import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue, Worker } from 'holdfast/queue'
import { openStore } from 'holdfast/store'
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
    await lives(store, tasks)
    raw.run(tasks, concurrency)
    const pairs: { raw: number; queue: number }[] = []
    // In turns, so that whatever else the machine does meets both alike.
    for (let round = 0; round < rounds; round++) {
      const rawFirst = round % 2 === 0 ? raw.run(tasks, concurrency) : 0
      const queue = await lives(store, tasks)
      pairs.push({ queue, raw: rawFirst || raw.run(tasks, concurrency) })
    }
    raw.close()
    const share = median(pairs.map(({ raw, queue }) => queue / raw))
    console.log(
      `whole lives, concurrency ${concurrency}: raw loop ${perSecond(median(pairs.map(({ raw }) => raw)))}/s, ` +
        `queue ${perSecond(median(pairs.map(({ queue }) => queue)))}/s, ${Math.round(share * 100)} % of raw`,
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
      await using many = await openStore(`sqlite:${join(folder, `${kind}.db`)}`)
      await fillQueue(many, kind, lying)
      const pairs: { few: number; many: number }[] = []
      for (let round = 0; round < rounds; round++)
        pairs.push({ few: await lives(few, tasks), many: await lives(many, tasks) })
      const [before, after] = [
        median(pairs.map((pair) => pair.few)),
        median(pairs.map((pair) => pair.many)),
      ]
      console.log(
        `beside ${lying} ${kind}: ${perSecond(after)}/s, without ${perSecond(before)}/s, ${(before / after).toFixed(2)} ×`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Tasks a second: submitted by as many at once as are worked on at once. */
async function lives(store: Awaited<ReturnType<typeof openStore>>, count: number): Promise<number> {
  const queue = new Queue(store)
  let done = 0
  let finish = () => {}
  const allDone = new Promise<void>((resolve) => {
    finish = resolve
  })
  const worker = new Worker(store, {
    concurrency,
    monitor: false,
    handlers: {
      bench: () => {
        if (++done === count) finish()
        return null
      },
    },
  })
  const startedAt = performance.now()
  await worker.start()
  let next = 0
  const submit = async () => {
    while (next++ < count) await queue.submit({ type: 'bench', input: { number: next } })
  }
  await Promise.all(Array.from({ length: concurrency }, submit))
  await allDone
  // Stopped once every report is in the store.
  await worker.stop()
  return (count / (performance.now() - startedAt)) * 1000
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
const perSecond = (number: number): string => Math.round(number).toLocaleString('en')
