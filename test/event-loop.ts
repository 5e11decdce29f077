/**
 * How long the event loop was held at most, in milliseconds: by the clock or by the processor, whichever is less. The clock
 * also runs while other processes have the processor, and the processor's time includes other threads.
 */
export async function heldMs(run: () => Promise<unknown>): Promise<number> {
  let [most, isDone] = [0, false]
  let [since, used] = [performance.now(), process.cpuUsage()]
  const look = () => {
    const { user, system } = process.cpuUsage(used)
    most = Math.max(most, Math.min(performance.now() - since, (user + system) / 1000))
    start()
    if (!isDone) setImmediate(look)
  }
  const start = () => {
    since = performance.now()
    used = process.cpuUsage()
  }
  await new Promise((resolve) => setImmediate(resolve))
  start()
  setImmediate(look)
  try {
    await run()
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    isDone = true
  }
  return most
}

/** The least of some rounds: what the garbage of others costs comes now and then, what is held comes each time. */
export async function leastHeldMs(run: () => Promise<unknown>, rounds = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    least = Math.min(least, await heldMs(run))
    if (least < 25) break
  }
  return least
}
