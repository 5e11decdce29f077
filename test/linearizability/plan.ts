/** What processes that share a store are to do; each round is about keys of its own. */
export interface SharedPlan {
  readonly url: string
  /** Unlike that of any other client of a run, living or dead. */
  readonly name: string
  /** The file for its notes: on each line a round and a note. */
  readonly log: string
  readonly seed: number
  /** How many clients there are in this process, and how many calls each makes in a round at most. */
  readonly lanes: number
  readonly calls: number
  readonly keys: number
  readonly writesMax: number
  readonly rounds: number
}

/** What a process is told once it is there. */
export interface Timetable {
  /** When the first round begins, in microseconds of the clock that processes share, and how long a round takes. */
  readonly startAt: number
  readonly roundUs: number
}

/** Rounds count from 1. */
export const roundStart = ({ startAt, roundUs }: Timetable, round: number): number =>
  startAt + (round - 1) * roundUs
