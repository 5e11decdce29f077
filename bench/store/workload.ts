/** What the driver and the raw loop both do on one kind of store, so that their times can be compared. */
export interface Workload {
  /** What every process does first and nobody measures, until its code is compiled; as many gets follow. */
  readonly warmUpCommits: number
  /** Commits of one sample, of so many writes each; all of them are what gets and scans then read. */
  readonly commits: number
  readonly writesPerCommit: 1 | 3
  /** Gets of one sample. */
  readonly gets: number
  /** How many commits are under way at once; gets too, where they go over a network. */
  readonly inFlight: number
  readonly getsInFlight: number
  readonly processCounts: readonly number[]
  readonly steps: readonly Step[]
}

export type Step = 'commits' | 'gets' | 'scans'
export type Kind = 'sqlite' | 'nats' | 's3'

/** How often each step is measured in a round: the two sides in turns, for a second or less where that can be. */
export const samples: Readonly<Record<Step, number>> = { commits: 7, gets: 7, scans: 3 }

export const workloads: Readonly<Record<Kind, Workload>> = {
  sqlite: {
    warmUpCommits: 12_800,
    commits: 6400,
    writesPerCommit: 3,
    gets: 30_000,
    inFlight: 256,
    getsInFlight: 1,
    processCounts: [1, 4],
    steps: ['commits', 'gets', 'scans'],
  },
  nats: {
    warmUpCommits: 5120,
    commits: 5120,
    writesPerCommit: 3,
    gets: 5000,
    inFlight: 256,
    getsInFlight: 64,
    processCounts: [1],
    steps: ['commits', 'gets'],
  },
  s3: {
    warmUpCommits: 3000,
    commits: 600,
    writesPerCommit: 1,
    gets: 2000,
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
export const pickId = (step: number, { written }: Reading): number => (step * 7919) % written

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

/** Which commits of a lane to make. */
interface Writing {
  readonly lane: string
  readonly from: number
  readonly count: number
}

/** How many gets to make, and among how many commits of a lane. */
interface Reading {
  readonly lane: string
  readonly count: number
  readonly written: number
}

/** One side of the comparison, on one store. Every step answers with how many operations it did. */
export interface Side {
  commits(writing: Writing): Promise<number>
  gets(reading: Reading): Promise<number>
  scans(): Promise<number>
  close(): Promise<void>
}

/** What a process is told to do. */
export type Order = Step | 'warm up' | 'close'
