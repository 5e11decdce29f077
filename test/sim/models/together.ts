import type { Process } from '../process.ts'

/** Waits for the next whole second: all who do so act at the same time. */
export const nextSecond = (process: Process): Promise<void> =>
  new Promise((resolve) => void process.after(1000 - (process.wallMs() % 1000), resolve))
