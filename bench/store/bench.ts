import { type Places, placesOf } from './places.js'
import { Team } from './team.js'
import { type Kind, type Step, samples, workloads } from './workload.js'

const rounds = 3
const sides = ['raw', 'driver'] as const

/** Operations per second of both sides, measured one right after the other. */
type Pair = Record<(typeof sides)[number], number>

/** The pairs of one store, step and process count. */
type Figures = Map<string, Pair[]>

/** Each driver beside a hand-written loop of the same work, in turns. `npm run bench -- store [KIND…]` */
export async function benchStore(wanted: readonly string[]): Promise<void> {
  const kinds = (Object.keys(workloads) as Kind[]).filter(
    (kind) => wanted.length === 0 || wanted.includes(kind),
  )
  const figures: Figures = new Map()
  await using places = await placesOf(kinds)
  for (let round = 1; round <= rounds; round++)
    for (const kind of kinds)
      for (const processes of workloads[kind].processCounts) {
        process.stderr.write(`round ${round} of ${rounds}: ${kind}, ${processes}×\n`)
        await measure({ kind, processes, round, places }, figures)
      }
  console.log(table(kinds, figures))
}

interface Run {
  readonly kind: Kind
  readonly processes: number
  readonly round: number
  readonly places: Places
}

/**
 * Both sides stand ready, and take turns in short samples: what else goes on in the machine, and how far a server
 * has got with its own tidying up, changes from second to second, and then meets both alike.
 */
async function measure({ kind, processes, round, places }: Run, figures: Figures): Promise<void> {
  const start = async (side: (typeof sides)[number]) =>
    Team.start({ kind, side, processes, place: await places.make(kind), lane: `r${round}` })
  await using raw = await start('raw')
  await using driver = await start('driver')
  for (const step of workloads[kind].steps)
    for (let sample = 1; sample <= samples[step]; sample++) {
      const pair: Pair = { raw: 0, driver: 0 }
      // The side that goes first changes, so that neither always finds the warmer machine.
      for (const side of (round + sample) % 2 ? sides : sides.toReversed())
        pair[side] = await (side === 'raw' ? raw : driver).measure(step)
      const name = nameOf(kind, step, processes)
      figures.set(name, [...(figures.get(name) ?? []), pair])
    }
}

function table(kinds: readonly Kind[], figures: Figures): string {
  const rows = kinds.flatMap((kind) =>
    workloads[kind].steps.flatMap((step) =>
      workloads[kind].processCounts.map((processes) => {
        const pairs = figures.get(nameOf(kind, step, processes)) ?? []
        const shown = [
          perSecond(median(pairs.map(({ raw }) => raw))),
          perSecond(median(pairs.map(({ driver }) => driver))),
          percent(median(pairs.map(({ raw, driver }) => driver / raw))),
        ]
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

const nameOf = (kind: Kind, step: Step, processes: number): string =>
  [kind, step, processes].join(' ')
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const perSecond = (number: number): string => Math.round(number).toLocaleString('en')
const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
