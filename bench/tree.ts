import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { counted, openStore } from 'holdfast/store'
import { TaskTree } from 'holdfast/tree'

const countDefault = 100_000
const few = 1_000
const rounds = 100
/** An epic has a spine of tasks, each below the one before, and others below those: so many in all. */
const depth = 12
const epicTasks = 100
/** How many tasks are claimed all the while, each in one of the oldest epics. */
const activeCount = 8
/** As many as the small tree has, so that the oldest tasks are spread over as many epics in both. */
const epicsAtOnce = few / epicTasks
const atOnce = 128
const flockCount = 5_000

interface Side {
  readonly count: number
  readonly tree: TaskTree
  readonly store: ReturnType<typeof counted>
  /** The spines of some epics, from the root down. */
  readonly spines: readonly string[][]
  readonly times: Map<string, number[]>
  readonly costs: Map<string, string>
}

/** What a tree costs on a SQLite file with few tasks, and on one with very many. */
export async function benchTree([count = String(countDefault)]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const sides = [await sideOf(folder, few), await sideOf(folder, Number(count))]
    // In turns, so that whatever else the machine does meets both alike.
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 ? sides.toReversed() : sides) await run(side, round)
    report(sides)
    await moveMany(sides[1] as Side)
    for (const { store } of sides) await store[Symbol.asyncDispose]()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function sideOf(folder: string, count: number): Promise<Side> {
  const start = performance.now()
  const store = counted(await openStore(`sqlite:${join(folder, `${count}.db`)}`))
  const tree = new TaskTree(store)
  const epics = Array.from({ length: count / epicTasks }, (_, n) => n)
  const spines: string[][] = []
  while (epics.length > 0)
    spines.push(...(await Promise.all(epics.splice(0, epicsAtOnce).map((n) => plant(tree, n)))))
  for (const spine of spines.slice(epicsAtOnce - activeCount, epicsAtOnce))
    await tree.claim(spine[depth] as string, 'busy')
  console.log(`${count} tasks in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return { count, tree, store, spines, times: new Map(), costs: new Map() }
}

/** One epic; answers with its spine. */
async function plant(tree: TaskTree, n: number): Promise<string[]> {
  const spine: string[] = []
  for (let at = 0; at < epicTasks; at++) {
    const parent_id = at > depth ? spine[at % depth] : spine.at(-1)
    const { id } = await tree.create({ title: `task ${n}.${at}`, parent_id, priority: at % 5 })
    if (at <= depth) spine.push(id)
  }
  return spine
}

async function run(side: Side, round: number): Promise<void> {
  const { tree, store, times, costs, spines } = side
  const timed = async (step: string, call: () => Promise<unknown>): Promise<void> => {
    store.reset()
    const start = performance.now()
    await call()
    const taken = performance.now() - start
    times.set(step, [...(times.get(step) ?? []), taken])
    const { get, list, scan, entries, commit } = store.counts
    costs.set(step, `${get} gets, ${list + scan} lists of ${entries}, ${commit} commits`)
  }
  // Not those with active tasks.
  const spine = spines[round % (epicsAtOnce - activeCount)] as string[]
  const [epic, leaf] = [spine[0] as string, spine[depth] as string]
  await timed('ready, 100 of them', () => tree.ready({ limit: 100 }))
  await timed('get, 12 levels deep', () => tree.get(leaf))
  await timed('claim, 12 levels deep', () => tree.claim(leaf, 'ann'))
  await timed('release', () => tree.release(leaf, 'ann'))
  await timed('children', () => tree.children(epic))
  await timed('subtree of 100', () => tree.subtree(epic))
  await timed('reparent of 87 and more', () => tree.reparent(spine[1] as string, null))
  await tree.reparent(spine[1] as string, epic)
}

function report(sides: readonly Side[]): void {
  const [small, large] = sides as [Side, Side]
  console.log(`| | ${few} tasks | ${large.count} tasks | | store operations |`)
  for (const [step, times] of large.times) {
    const [before, after] = [median(small.times.get(step) ?? []), median(times)]
    const ratio = (after / before).toFixed(2)
    const costs = [small, large].map((side) => side.costs.get(step))
    const cost = costs[0] === costs[1] ? `${costs[0]}` : `${costs[0]}; ${costs[1]}`
    console.log(
      `| ${step} | ${before.toFixed(2)} ms | ${after.toFixed(2)} ms | ${ratio} × | ${cost} |`,
    )
  }
}

/** A move of a task that has very many below it. */
async function moveMany({ tree, store, spines }: Side): Promise<void> {
  const { id } = await tree.create({ title: 'a flock' })
  for (let at = 0; at < flockCount; at += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, flockCount - at) }, () =>
        tree.create({ title: 'one of many', parent_id: id }),
      ),
    )
  store.reset()
  const start = performance.now()
  await tree.reparent(id, spines[0]?.[0] as string)
  const taken = performance.now() - start
  console.log(`reparent of ${flockCount}: ${taken.toFixed(2)} ms, ${store.counts.commit} commits`)
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
