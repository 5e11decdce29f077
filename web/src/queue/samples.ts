import type { Point } from '../show/plot.tsx'
import type { Counts } from '../source/source.ts'

interface Sample {
  readonly ms: number
  readonly waiting: number
  readonly running: number
  readonly finished: number
  readonly failed: number
}

const samplesMax = 240

/** What was counted since the page was opened, by source: it outlives the views. */
const kept = new WeakMap<object, Sample[]>()

const sampleOf = ({ total, by_status: by }: Counts, ms: number): Sample => {
  const waiting = by.pending ?? 0
  const running = by.running ?? 0
  // Whatever is neither waiting nor running has ended; a bucket tells no more without reading every task.
  return { ms, waiting, running, finished: total - waiting - running, failed: by.failed ?? 0 }
}

export function addSample(source: object, counts: Counts, ms: number): void {
  const samples = kept.get(source) ?? []
  kept.set(source, samples)
  if (samples.at(-1)?.ms === ms) return
  samples.push(sampleOf(counts, ms))
  if (samples.length > samplesMax) samples.shift()
}

interface Series {
  readonly waiting: readonly Point[]
  readonly running: readonly Point[]
  /** Ended per minute, between one sample and the next. */
  readonly rate: readonly Point[]
}

export function seriesOf(source: object): Series {
  const samples = kept.get(source) ?? []
  const rate = samples.slice(1).map((sample, at) => {
    const before = samples[at] as Sample
    const minutes = (sample.ms - before.ms) / 60_000
    return { ms: sample.ms, value: Math.max(0, (sample.finished - before.finished) / minutes) }
  })
  const of = (name: 'waiting' | 'running') =>
    samples.map((sample) => ({ ms: sample.ms, value: sample[name] }))
  return { waiting: of('waiting'), running: of('running'), rate }
}
