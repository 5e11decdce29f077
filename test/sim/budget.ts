import { randomByte } from '../../src/random/index.ts'
import { openShelf, Shelf } from '../../src/store/drivers/memory/driver.ts'
import type { Store } from '../../src/store/index.ts'
import { Disk } from './disk.ts'
import { type Costs, noCosts } from './driver.ts'
import { noFaults } from './faults.ts'
import { inhabit } from './globals.ts'
import type { Kind } from './kinds.ts'
import { Random } from './random.ts'
import { SimStore } from './sim-store.ts'
import { Trace } from './trace.ts'
import { World } from './world.ts'

/** The most that one call may cost where nothing goes wrong and nobody competes; what is left out may cost nothing. */
type Budget = Partial<Costs>

export interface Operation {
  readonly what: string
  /** On stores with transactions that hold all writes of an operation. */
  readonly atOnce: Budget
  /** On stores without, or with smaller ones. */
  readonly inSteps: Budget
  /** What must be there for the call; it isn't counted. */
  readonly before?: () => Promise<unknown>
  readonly call: () => Promise<unknown>
}

/** What the operations of a model may cost, however much else is in the store. */
export interface Budgeted {
  readonly name: string
  /** Puts so many tasks into the store that have nothing to do with what the operations are about. */
  fill(store: Store, count: number): Promise<void>
  /** The operations of one program, in the order in which they are called. */
  open(store: Store, scene: BudgetScene): Rig
}

export interface BudgetScene {
  readonly kind: Kind
  sleep(ms: number): Promise<void>
}

export interface Rig {
  readonly operations: readonly Operation[]
  close(): Promise<void>
}

/** What one operation has cost at most. */
export interface Bill {
  readonly what: string
  readonly kind: string
  readonly costs: Costs
  readonly budget: Costs
  readonly isOver: boolean
}

/** The first calls fill what a program remembers. */
const calls = 3
const writesAtOnce = 100
const roomy = { eventsMax: 5_000_000, virtualMsMax: 7 * 86_400_000 }

/** Runs each operation on each kind of store, next to so many other tasks. */
export async function bills(
  model: Budgeted,
  kinds: readonly Kind[],
  count: number,
): Promise<Bill[]> {
  const random = new Random(1)
  const world = new World(random, Date.UTC(2026, 0, 1), roomy)
  inhabit(world)
  randomByte()
  try {
    const shelf = new Shelf()
    const disk = new Disk(() => world.epochMs + Math.floor(world.nowMs), shelf)
    await world.until(model.fill(openShelf(shelf), count))
    const all: Bill[] = []
    for (const kind of kinds)
      all.push(...(await world.until(billsOn(model, kind, { world, disk }))))
    return all
  } finally {
    inhabit(null)
  }
}

interface Ground {
  readonly world: World
  readonly disk: Disk
}

async function billsOn(model: Budgeted, kind: Kind, { world, disk }: Ground): Promise<Bill[]> {
  const process = world.process(kind.name)
  const quick = { ...kind, latencyMs: [0.1, 1], pageKeys: 1_000 } as const
  const network = { disk, kind: quick, trace: new Trace(false), faults: noFaults, awayUntilMs: 0 }
  const sim = new SimStore(network, process)
  const sleep = (ms: number) => new Promise<void>((resolve) => void process.after(ms, resolve))
  const all: Bill[] = []
  await new Promise<void>((resolve, reject) => {
    const run = async () => {
      const rig = model.open(sim.store, { kind, sleep })
      for (const operation of rig.operations) all.push(await billOf(operation, kind, sim))
      await rig.close()
    }
    process.after(0, () => void run().then(resolve, reject))
  })
  await sim[Symbol.asyncDispose]()
  return all
}

async function billOf(operation: Operation, kind: Kind, { costs }: SimStore): Promise<Bill> {
  const { what, before, call } = operation
  const isAtOnce = kind.limits.commitWritesMax >= writesAtOnce
  const budget = { ...noCosts(), ...(isAtOnce ? operation.atOnce : operation.inSteps) }
  const most = noCosts()
  for (let nth = 0; nth < calls; nth++) {
    await before?.()
    const start = { ...costs }
    await call()
    for (const name of names) most[name] = Math.max(most[name], costs[name] - start[name])
  }
  const isOver = names.some((name) => most[name] > budget[name])
  return { what, kind: kind.name, costs: most, budget, isOver }
}

const names = Object.keys(noCosts()) as (keyof Costs)[]

export const shownCosts = (costs: Costs): string =>
  names.map((name) => `${costs[name]} ${name}`).join(', ')
