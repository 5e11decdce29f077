import type { Timed } from '../runner.ts'
import type { Family, Sample } from './text.ts'

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Latency {
  readonly labels: Readonly<Record<string, string>>
  /** How many were within each bound. */
  readonly within: number[]
  sum: number
  count: number
}

interface Counter {
  readonly labels: Readonly<Record<string, string>>
  value: number
}

/** What other methods are called: anybody can make up any number of them. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How many requests came, what became of them, and how long that took, route by route. */
export class RequestMetrics {
  readonly #counters = new Map<string, Counter>()
  readonly #latencies = new Map<string, Latency>()

  /** Of a stream, the time until it begins. */
  readonly observe = ({ method: given, route, status, seconds }: Timed): void => {
    const method = methods.has(given) ? given : 'other'
    const key = `${method} ${route}`
    const counter = this.#counters.get(`${key} ${status}`) ?? {
      labels: { method, route, status: String(status) },
      value: 0,
    }
    counter.value++
    this.#counters.set(`${key} ${status}`, counter)
    // What was refused before it had a route took no time worth telling.
    if (route !== '') this.#time(key, { method, route }, seconds)
  }

  families(): Family[] {
    return [
      {
        name: 'holdfast_http_requests_total',
        help: 'Requests by method, route and status; without a route where there is none.',
        type: 'counter',
        samples: [...this.#counters.values()],
      },
      {
        name: 'holdfast_http_request_seconds',
        help: 'How long answers take; of a stream, until it begins.',
        type: 'histogram',
        samples: [...this.#latencies.values()].flatMap(samplesOf),
      },
    ]
  }

  #time(key: string, labels: Latency['labels'], seconds: number): void {
    const latency = this.#latencies.get(key) ?? {
      labels,
      within: bounds.map(() => 0),
      sum: 0,
      count: 0,
    }
    this.#latencies.set(key, latency)
    latency.sum += seconds
    latency.count++
    for (let at = bounds.length - 1; at >= 0 && seconds <= (bounds[at] as number); at--)
      latency.within[at] = (latency.within[at] as number) + 1
  }
}

function samplesOf({ labels, within, sum, count }: Latency): Sample[] {
  return [
    ...bounds.map((bound, at) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(bound) },
      value: within[at] as number,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}
