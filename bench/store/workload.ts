/** What the driver and the raw loop both do, so that their times can be compared. */
export interface Workload {
  /** What every process does first and nobody measures, until its code is compiled. */
  readonly warmUpCommits: number
  /** Commits of one document and two index entries; also what gets and scans then read. */
  readonly commits: number
  readonly gets: number
  readonly inFlight: number
  readonly valueBytes: number
}

export const workload: Workload = {
  warmUpCommits: 12_800,
  commits: 51_200,
  gets: 100_000,
  inFlight: 256,
  valueBytes: 300,
}

export const value = new Uint8Array(workload.valueBytes).fill(97)

/** Keys of one lane that grow with time, as those of real documents do. */
export const keysOf = (lane: string, id: number): readonly [string, string, string] => {
  const ordered = `${String(id).padStart(12, '0')}-${lane}`
  return [
    `bench/task/${ordered}`,
    `bench/index/status/pending/${ordered}`,
    `bench/index/type/email/${ordered}`,
  ]
}

/** The same spread of keys for everyone who reads. */
export const pickId = (step: number): number => (step * 7919) % workload.commits

/** One side of the comparison, on one file. Every step answers with how many operations it did. */
export interface Side {
  commits(lane: string, count: number): Promise<number>
  gets(lane: string): Promise<number>
  scans(): Promise<number>
  close(): Promise<void>
}

export type Step = 'commits' | 'gets' | 'scans'

/** What a process is told to do. */
export type Order = Step | 'warm up' | 'close'
