/**
 * How long something held the event loop at most, in milliseconds of the processor: time would pass as well while other
 * processes have it.
 */
export async function heldMs(run: () => Promise<unknown>): Promise<number> {
  let [most, isDone] = [0, false]
  let since = process.cpuUsage()
  const look = () => {
    const { user, system } = process.cpuUsage(since)
    most = Math.max(most, (user + system) / 1000)
    since = process.cpuUsage()
    if (!isDone) setImmediate(look)
  }
  await new Promise((resolve) => setImmediate(resolve))
  since = process.cpuUsage()
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
