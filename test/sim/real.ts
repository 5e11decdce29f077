/** What the simulator needs of the real machine, taken before anything is replaced. */
export const real = {
  Date,
  setImmediate,
  setTimeout,
  clearTimeout,
  performance,
  timeOrigin: performance.timeOrigin,
  now: performance.now.bind(performance),
} as const

/** Lets every promise that can settle do so: Node runs all of them before the next immediate. */
export const flushMicrotasks = (): Promise<void> =>
  new Promise((resolve) => real.setImmediate(resolve))
