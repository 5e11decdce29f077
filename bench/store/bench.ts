import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type Place, placesOf } from './places.js'
import { type Kind, type Order, type Step, workloads } from './workload.js'

const rounds = 5
const sides = ['raw', 'driver'] as const
type SideName = (typeof sides)[number]

/** Operations per second of one store, step, process count and side, a figure a round. */
type Figures = Map<string, number[]>

/** Each driver beside a hand-written loop of the same work, in turns. `npm run bench -- store [KIND…]` */
export async function benchStore(wanted: readonly string[]): Promise<void> {
  const kinds = (Object.keys(workloads) as Kind[]).filter(
    (kind) => wanted.length === 0 || wanted.includes(kind),
  )
  const figures: Figures = new Map()
  await using places = await placesOf(kinds)
  for (let round = 1; round <= rounds; round++)
    // The side that goes first changes, so that neither always finds the warmer machine.
    for (const kind of kinds)
      for (const processes of workloads[kind].processCounts)
        for (const side of round % 2 ? sides : sides.toReversed()) {
          process.stderr.write(`round ${round} of ${rounds}: ${kind}, ${side}, ${processes}×\n`)
          await using place = await places.make(kind)
          await measure({ kind, side, processes, place, lane: `r${round}` }, figures)
        }
  console.log(table(kinds, figures))
}

interface Run {
  readonly kind: Kind
  readonly side: SideName
  readonly processes: number
  readonly place: Place
  readonly lane: string
}

async function measure(run: Run, figures: Figures): Promise<void> {
  const lanes: ChildProcess[] = []
  try {
    for (let index = 0; index < run.processes; index++) lanes.push(await startLane(run, index))
    await give(lanes, 'warm up')
    for (const step of workloads[run.kind].steps) {
      const name = nameOf(run.kind, step, run.processes, run.side)
      figures.set(name, [...(figures.get(name) ?? []), await runStep(lanes, step)])
    }
  } finally {
    await Promise.all(lanes.map(endLane))
  }
}

async function startLane({ kind, side, place, lane }: Run, index: number): Promise<ChildProcess> {
  const script = new URL('./lane.js', import.meta.url)
  const env = { ...process.env, ...place.environment }
  const child = fork(script, [kind, side, place.url, `${lane}-${index}`], { env })
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

function table(kinds: readonly Kind[], figures: Figures): string {
  const rows = kinds.flatMap((kind) =>
    workloads[kind].steps.flatMap((step) =>
      workloads[kind].processCounts.map((processes) => {
        const figure = (side: SideName) => median(figures.get(nameOf(kind, step, processes, side)))
        const [raw, driver] = [figure('raw'), figure('driver')]
        const shown = [perSecond(raw), perSecond(driver), percent(driver / raw)]
        return `| ${[kind, step, processes, ...shown].join(' | ')} |`
      }),
    ),
  )
  const head = [
    '| store | step | processes | raw loop /s | driver /s | driver of raw |',
    '|---|---|--:|--:|--:|--:|',
  ]
  return [...head, ...rows].join('\n')
}

const nameOf = (kind: Kind, step: Step, processes: number, side: SideName): string =>
  [kind, step, processes, side].join(' ')
const median = (numbers: readonly number[] = []): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const perSecond = (number: number): string => Math.round(number).toLocaleString('en')
const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
