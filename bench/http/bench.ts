import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from 'holdfast/store'
import { TaskTree } from 'holdfast/tree'
import { Lane } from './client.js'

const lanes = 16
const samples = 5
const getsOfSample = 8_000
const claimsOfSample = 1_000
const coven = fileURLToPath(new URL('../../../bin/coven', import.meta.url))
const bare = fileURLToPath(new URL('./bare.js', import.meta.url))

const steps = ['GET a root', 'GET a task below it', 'POST claim'] as const
const sides = ['bare', 'coven'] as const
type Pair = Record<(typeof sides)[number], Sample>

interface Server {
  readonly port: number
  readonly pid: number
}

interface Sample {
  readonly perSecond: number
  /** What the server itself used, in µs a request; it wavers less than the speed where other programs run. */
  readonly processorUs: number
}

/** The API on a SQLite file beside a server of the same framework that returns a constant, in turns. */
export async function benchHttp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const children: ChildProcess[] = []
  try {
    const url = `sqlite:${join(folder, 'tasks.db')}`
    const { roots, below, bytes } = await plant(url)
    const servers = {
      bare: await startBare(children, bytes),
      coven: await startCoven(children, url),
    }
    const figures = new Map<string, Pair[]>(steps.map((step) => [step, []]))
    // The first round warms both up, and does not count.
    for (let sample = 0; sample <= samples; sample++)
      for (const step of steps) {
        const pair: Partial<Pair> = {}
        const ids = step === 'GET a root' ? roots : below.slice(sample * claimsOfSample)
        for (const side of sample % 2 ? sides : sides.toReversed())
          pair[side] = await sampleOf(servers[side], step, ids)
        if (sample > 0) figures.get(step)?.push(pair as Pair)
      }
    report(figures)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

interface Planted {
  readonly roots: readonly string[]
  readonly below: readonly string[]
}

/** Roots to read, and below the first of them a task for each claim. */
async function plant(url: string): Promise<Planted & { bytes: number }> {
  const store = await openStore(url)
  const tree = new TaskTree(store)
  const body = 'What is to be done, in a sentence or two, as an agent would write it down.'
  const grow = (count: number, parent_id: string | null) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        tree.create({ title: `Task ${n}`, body, parent_id, tags: ['bench', 'http'] }),
      ),
    )
  const roots = await grow(claimsOfSample, null)
  const below = await grow((samples + 1) * claimsOfSample, roots[0]?.id as string)
  await store[Symbol.asyncDispose]()
  const idsOf = (tasks: typeof roots) => tasks.map(({ id }) => id)
  return { roots: idsOf(roots), below: idsOf(below), bytes: JSON.stringify(below[0]).length }
}

async function startBare(children: ChildProcess[], bytes: number): Promise<Server> {
  const child = fork(bare, [String(bytes)])
  children.push(child)
  const [port] = await once(child, 'message')
  return { port: port as number, pid: child.pid as number }
}

async function startCoven(children: ChildProcess[], url: string): Promise<Server> {
  const args = [coven, 'serve', '--port', '0', '--store', url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  const port = Number(/:(\d+)\s/.exec(String(line))?.[1])
  return { port, pid: child.pid as number }
}

async function sampleOf(
  { port, pid }: Server,
  step: (typeof steps)[number],
  ids: readonly string[],
): Promise<Sample> {
  const isGet = step !== 'POST claim'
  const count = isGet ? getsOfSample : claimsOfSample
  const open = await Promise.all(Array.from({ length: lanes }, () => Lane.open(port)))
  // Busy all the time: to wake a client that sleeps costs a server more than many an answer, and the slower one most.
  let isOn = true
  const spin = () => isOn && setImmediate(spin)
  spin()
  let next = 0
  const used = processorUsOf(pid)
  const start = performance.now()
  await Promise.all(
    open.map(async (lane) => {
      for (let n = next++; n < count; n = next++) {
        const path = `/api/tasks/${ids[n % claimsOfSample]}`
        const status = await (isGet ? lane.ask('GET', path) : lane.ask('POST', `${path}/claim`))
        if (status !== 200) throw new Error(`${step} was answered with ${status}`)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  isOn = false
  for (const lane of open) lane[Symbol.dispose]()
  return { perSecond: count / seconds, processorUs: (processorUsOf(pid) - used) / count }
}

/** How long a process has had a processor, by Linux, in hundredths of a second; NaN elsewhere. */
function processorUsOf(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
    return (user + system) * 10_000
  } catch {
    return Number.NaN
  }
}

function report(figures: ReadonlyMap<string, readonly Pair[]>): void {
  console.log(
    '| request | bare server /s | coven /s | coven of bare | processor µs, bare | coven | share |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|')
  for (const [step, pairs] of figures) {
    const columns = (['perSecond', 'processorUs'] as const).flatMap((field) => {
      const [plain, ours] = sides.map((side) =>
        Math.round(median(pairs.map((pair) => pair[side][field]))),
      )
      // Of speeds the share is what is left; of costs, what the bare server would need.
      const shares = pairs.map(({ bare, coven }) =>
        field === 'perSecond' ? coven[field] / bare[field] : bare[field] / coven[field],
      )
      return [plain, ours, `${Math.round(100 * median(shares))} %`]
    })
    console.log(`| ${[step, ...columns].join(' | ')} |`)
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
