import { type CountedStore, type Store, s3Requests } from '../store/internal.ts'

/** Upper bounds of the buckets of a histogram, in seconds. */
const bounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
]

interface Histogram {
  /** How many lay between each bound and the one before. */
  readonly buckets: number[]
  sum: number
  count: number
}

/** What is counted, with a word for who reads it. */
const counters = {
  tasks_claimed: 'Claims that this process got.',
  tasks_completed: 'Attempts that succeeded.',
  tasks_retried: 'Attempts that failed and are to be repeated.',
  tasks_failed: 'Attempts that failed for good.',
  tasks_timed_out: 'Attempts that took longer than they may.',
  tasks_cancelled: 'Attempts that ended because they were cancelled.',
  tasks_requeued: 'Tasks given back without a charge.',
  claims_lost: 'Claims that others got first.',
  leases_lost: 'Attempts that lost their lease before they ended.',
  reports_failed: 'Attempts whose end could not be reported.',
  leases_expired: 'Tasks taken from workers that were silent.',
  index_entries_mended: 'Index entries that were missing.',
  index_entries_swept: 'Index entries that were stale.',
} as const

const histograms = {
  claim_seconds: 'How long a claim takes.',
  wait_seconds: 'How long tasks could have been claimed before they were.',
  run_seconds: 'How long handlers run.',
} as const

type CounterName = keyof typeof counters
type HistogramName = keyof typeof histograms

const prefix = 'holdfast_queue_'

/** Counts of a worker or a monitor, as plain data, and as the text that Prometheus reads. */
export class Metrics {
  readonly #counts = new Map<CounterName, Map<string, number>>()
  readonly #histograms = new Map<HistogramName, Histogram>()
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Counts something that has happened. */
  count(name: CounterName, type = '', by = 1): void {
    let ofName = this.#counts.get(name)
    if (!ofName) {
      ofName = new Map()
      this.#counts.set(name, ofName)
    }
    ofName.set(type, (ofName.get(type) ?? 0) + by)
  }

  /** Records how long something took. */
  observe(name: HistogramName, seconds: number): void {
    let histogram = this.#histograms.get(name)
    if (!histogram) {
      histogram = { buckets: bounds.map(() => 0), sum: 0, count: 0 }
      this.#histograms.set(name, histogram)
    }
    histogram.sum += seconds
    histogram.count++
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] as number)) at++
    if (at < bounds.length) histogram.buckets[at] = (histogram.buckets[at] as number) + 1
  }

  /** The sum of a counter over all types. */
  total(name: CounterName): number {
    let sum = 0
    for (const count of this.#counts.get(name)?.values() ?? []) sum += count
    return sum
  }

  /** As Prometheus reads it; `gauges` are told with it. */
  render(gauges: Readonly<Record<string, number>> = {}): string {
    const lines: string[] = []
    for (const [name, help] of Object.entries(counters) as [CounterName, string][]) {
      lines.push(...head(`${name}_total`, help, 'counter'))
      const byType = this.#counts.get(name) ?? new Map([['', 0]])
      for (const [type, count] of byType)
        lines.push(`${prefix}${name}_total${labelled(type)} ${count}`)
    }
    for (const [name, help] of Object.entries(histograms) as [HistogramName, string][])
      lines.push(...this.#histogramLines(name, help))
    for (const [name, value] of Object.entries(gauges))
      lines.push(...head(name, 'As of now.', 'gauge'), `${prefix}${name} ${value}`)
    lines.push(...this.#requestLines())
    return `${lines.join('\n')}\n`
  }

  #histogramLines(name: HistogramName, help: string): string[] {
    const { buckets, sum, count } = this.#histograms.get(name) ?? { buckets: [], sum: 0, count: 0 }
    const line = (bound: string, value: number) => `${prefix}${name}_bucket{le="${bound}"} ${value}`
    let below = 0
    const upTo = (at: number): number => {
      below += buckets[at] ?? 0
      return below
    }
    return [
      ...head(name, help, 'histogram'),
      ...bounds.map((bound, at) => line(String(bound), upTo(at))),
      line('+Inf', count),
      `${prefix}${name}_sum ${sum}`,
      `${prefix}${name}_count ${count}`,
    ]
  }

  #requestLines(): string[] {
    const requests = s3Requests(this.#store) ?? callsOf(this.#store)
    if (!requests) return []
    const name = 'store_requests_total'
    return [
      ...head(name, 'Requests to the store.', 'counter'),
      ...Object.entries(requests).map(
        ([kind, count]) => `${prefix}${name}${labelsOf({ kind })} ${count}`,
      ),
    ]
  }
}

const head = (name: string, help: string, type: string): string[] => [
  `# HELP ${prefix}${name} ${help}`,
  `# TYPE ${prefix}${name} ${type}`,
]

/** What was asked of a store that is counted, call by call. */
function callsOf(store: Store): Readonly<Record<string, number>> | null {
  const { counts } = store as Partial<CountedStore>
  if (!counts) return null
  const { get, list, scan, commit, watch } = counts
  return { get, list, scan, commit, watch }
}

const labelled = (type: string): string => (type === '' ? '' : labelsOf({ type }))

/** Labels as Prometheus reads them. */
export const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
