/** What a file of tests took: by the clock, and of the processor. */
export interface Times {
  readonly file: string
  readonly ms: number
  readonly processorMs: number
}

export function lastTimes(path?: string): Times[]
export function keepTimes(notes: string, path?: string): void
