/**
 * What comes soon after each other, together: all that is there within a turn of the event loop, up to so many. The order
 * stays. Whoever stops ends what is iterated by its own signal: a pending read can't be taken back.
 */
export async function* inBatches<T>(items: AsyncIterable<T>, max: number): AsyncGenerator<T[]> {
  const iterator = items[Symbol.asyncIterator]()
  const read = () => {
    const next = iterator.next()
    // It may fail while the batch before it is worked on, and is heard of after that.
    next.catch(() => {})
    return next
  }
  let next = read()
  try {
    for (;;) {
      const first = await next
      if (first.done) return
      const batch = [first.value]
      next = read()
      while (batch.length < max) {
        const more = await withinTurn(next)
        if (more === null || more.done) break
        batch.push(more.value)
        next = read()
      }
      yield batch
    }
  } finally {
    void iterator.return?.()?.catch(() => {})
  }
}

const withinTurn = <T>(next: Promise<T>): Promise<T | null> =>
  Promise.race([next, new Promise<null>((resolve) => void setImmediate(resolve, null))])
