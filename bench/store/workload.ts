/** What the driver and the raw loop both do on one kind of store, so that their times can be compared. */
export interface Workload {
  /** What every process does first and nobody measures, until its code is compiled. */
  readonly warmUpCommits: number
  /** Commits of so many writes each; also what gets and scans then read. */
  readonly commits: number
  readonly writesPerCommit: 1 | 3
  readonly gets: number
  /** How many commits are under way at once; gets too, where they go over a network. */
  readonly inFlight: number
  readonly getsInFlight: number
  readonly processCounts: readonly number[]
  readonly steps: readonly Step[]
}

export type Step = 'commits' | 'gets' | 'scans'
export type Kind = 'sqlite' | 'nats' | 's3'

export const workloads: Readonly<Record<Kind, Workload>> = {
  sqlite: {
    warmUpCommits: 12_800,
    commits: 51_200,
    writesPerCommit: 3,
    gets: 100_000,
    inFlight: 256,
    getsInFlight: 1,
    processCounts: [1, 4],
    steps: ['commits', 'gets', 'scans'],
  },
  nats: {
    warmUpCommits: 5120,
    commits: 12_800,
    writesPerCommit: 3,
    gets: 10_000,
    inFlight: 256,
    getsInFlight: 64,
    processCounts: [1],
    steps: ['commits', 'gets'],
  },
  s3: {
    warmUpCommits: 300,
    commits: 3000,
    writesPerCommit: 1,
    gets: 6000,
    inFlight: 32,
    getsInFlight: 32,
    processCounts: [1],
    steps: ['commits', 'gets'],
  },
}

export const value = new Uint8Array(300).fill(97)

/** Keys of one lane that grow with time, as those of real documents do: a document and its index entries. */
export function keysOf(lane: string, id: number, count: 1 | 3): readonly string[] {
  const ordered = `${String(id).padStart(12, '0')}-${lane}`
  const keys = [
    `bench/task/${ordered}`,
    `bench/index/status/pending/${ordered}`,
    `bench/index/type/email/${ordered}`,
  ]
  return keys.slice(0, count)
}

/** The same spread of keys for everyone who reads. */
export const pickId = (step: number, { commits }: Workload): number => (step * 7919) % commits

/** Does something so many times, some at once. */
export async function times(
  count: number,
  inFlight: number,
  run: (step: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return count
}

/** One side of the comparison, on one store. Every step answers with how many operations it did. */
export interface Side {
  commits(lane: string, count: number): Promise<number>
  gets(lane: string): Promise<number>
  scans(): Promise<number>
  close(): Promise<void>
}

/** What a process is told to do. */
export type Order = Step | 'warm up' | 'close'
