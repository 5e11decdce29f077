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

/** Node looks for work of the real machine once for so many steps: that takes as long as a short step. */
const batchSteps = 100

/**
 * Takes steps as long as there is another one. In between, every promise that can settle does so: Node runs all of them
 * before the next immediate.
 */
export function steps(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const once = () => {
      if (isOver) return
      try {
        if (step()) return
        resolve()
      } catch (error) {
        reject(error)
      }
      isOver = true
    }
    const batch = () => {
      for (let nth = 0; nth < batchSteps && !isOver; nth++) real.setImmediate(once)
      if (!isOver) real.setImmediate(batch)
    }
    batch()
  })
}
