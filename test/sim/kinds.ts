import { commitWritesMax, type StoreLimits, valueBytesMax } from '../../src/store/index.ts'

/** How a kind of store behaves: what it can hold in one commit, how long it takes, and whose clock it has. */
export interface Kind {
  readonly name: string
  readonly limits: StoreLimits
  /** Between how many milliseconds a request or an answer is on its way. */
  readonly latencyMs: readonly [from: number, to: number]
  /** How long a client waits for an answer. */
  readonly timeoutMs: number
  /** How long until a watch hears of a commit; null where it is asked at intervals. */
  readonly watchMs: readonly [from: number, to: number] | null
  readonly pollMs: number
  /** How many keys a page of a list has. */
  readonly pageKeys: number
  /** Whether it has a clock of its own, or tells the one of the machine that asks. */
  readonly hasClock: boolean
  /** Whether it keeps the states that a key has had. */
  readonly hasVersions: boolean
  /** Whether it can tell at once that entries are as they were given. */
  readonly isAtHand: boolean
}

const limits = {
  commitWritesMax,
  commitSpan: 'store',
  valueBytesMax,
  watch: 'push',
  durability: 'durable',
} as const satisfies StoreLimits

const embedded = {
  limits,
  latencyMs: [0.05, 20],
  timeoutMs: 5_000,
  watchMs: [1, 100],
  pollMs: 50,
  pageKeys: 3,
  hasClock: false,
  hasVersions: false,
  isAtHand: false,
} as const

const few = (writes: number): Kind => ({
  ...embedded,
  name: `limited-${writes}`,
  limits: { ...limits, commitWritesMax: writes },
})

const all: readonly Kind[] = [
  {
    ...embedded,
    name: 'sqlite',
    limits: { ...limits, watch: 'poll' },
    watchMs: null,
    pollMs: 50,
    isAtHand: true,
  },
  few(1),
  few(2),
  few(3),
  few(commitWritesMax),
  {
    ...embedded,
    name: 'nats',
    limits: { ...limits, commitSpan: 'namespace', listCost: 'prefix' },
    latencyMs: [0.3, 300],
    hasClock: true,
  },
  {
    ...embedded,
    name: 's3',
    limits: { ...limits, commitWritesMax: 1, watch: 'poll', listCost: 'prefix' },
    latencyMs: [5, 1_500],
    timeoutMs: 10_000,
    watchMs: null,
    pollMs: 2_000,
    hasClock: true,
    hasVersions: true,
  },
]

export const kinds: ReadonlyMap<string, Kind> = new Map(all.map((kind) => [kind.name, kind]))
