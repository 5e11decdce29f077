import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, Step } from './workload.js'

const rounds = 5
const steps: readonly Step[] = ['commits', 'gets', 'scans']
const kinds = ['raw', 'driver'] as const
type Kind = (typeof kinds)[number]

/** Operations per second of one side, one process count and one step, a figure a round. */
type Figures = Map<string, number[]>

/** The SQLite driver beside a hand-written loop, in turns, in one process and in four. */
export async function benchStore(): Promise<void> {
  const figures: Figures = new Map()
  for (let round = 1; round <= rounds; round++)
    // The side that goes first changes, so that neither always finds the warmer machine.
    for (const processes of [1, 4])
      for (const kind of round % 2 ? kinds : kinds.toReversed()) {
        process.stderr.write(`round ${round} of ${rounds}: ${kind}, ${processes} process(es)\n`)
        await measure(kind, processes, figures)
      }
  console.log(table(figures))
}

async function measure(kind: Kind, processes: number, figures: Figures): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
  const lanes: ChildProcess[] = []
  try {
    for (let lane = 0; lane < processes; lane++) lanes.push(await startLane(kind, folder, lane))
    await give(lanes, 'warm up')
    for (const step of steps) {
      const name = `${step} ${processes} ${kind}`
      figures.set(name, [...(figures.get(name) ?? []), await runStep(lanes, step)])
    }
  } finally {
    await Promise.all(lanes.map(endLane))
    await rm(folder, { recursive: true, force: true })
  }
}

async function startLane(kind: Kind, folder: string, lane: number): Promise<ChildProcess> {
  const script = new URL('./lane.js', import.meta.url)
  const child = fork(script, [kind, join(folder, 'bench.db'), `lane${lane}`])
  await once(child, 'message')
  return child
}

async function endLane(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.send('close' satisfies Order)
  await ended
}

/** Everyone starts at once; the figure is the sum of what they did over the time of the slowest. */
async function runStep(lanes: readonly ChildProcess[], step: Step): Promise<number> {
  const start = performance.now()
  const counts = await give(lanes, step)
  const seconds = (performance.now() - start) / 1000
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}

/** Gives all of them the same order at once; answers with how many operations each did. */
const give = (lanes: readonly ChildProcess[], order: Order): Promise<number[]> =>
  Promise.all(
    lanes.map(async (lane) => {
      lane.send(order)
      const [count] = (await once(lane, 'message')) as [number]
      return count
    }),
  )

function table(figures: Figures): string {
  const rows = steps.flatMap((step) =>
    [1, 4].map((processes) => {
      const [raw, driver] = kinds.map((kind) => median(figures.get(`${step} ${processes} ${kind}`)))
      const cells = [step, processes, perSecond(raw!), perSecond(driver!), percent(driver! / raw!)]
      return `| ${cells.join(' | ')} |`
    }),
  )
  const head = [
    '| step | processes | raw loop /s | driver /s | driver of raw |',
    '|---|--:|--:|--:|--:|',
  ]
  return [...head, ...rows].join('\n')
}

const median = (numbers: readonly number[] = []): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const perSecond = (number: number): string => Math.round(number).toLocaleString('en')
const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
