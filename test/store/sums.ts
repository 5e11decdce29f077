import assert from 'node:assert/strict'
import { mutate, type Store, StoreError } from '../../src/store/index.ts'

/** A sum, and which increment of each client was the last to go into it. */
interface Sum {
  readonly sum: number
  readonly last: Readonly<Record<string, number>>
}

const keys = 10
const attemptsMax = 100_000
const keyOf = (step: number): string => `ns/sum/${step % keys}`
const read = (value: Uint8Array | undefined): Sum =>
  value ? JSON.parse(new TextDecoder().decode(value)) : { sum: 0, last: {} }

/** What a client met with while it incremented. */
interface Troubles {
  unknownOutcomes: number
  unavailable: number
}

/**
 * Increments shared keys so many times, whatever goes wrong: tries again what did not happen, and settles
 * by reading what may have happened.
 */
export async function incrementAll(store: Store, client: string, count: number): Promise<Troubles> {
  const troubles = { unknownOutcomes: 0, unavailable: 0 }
  for (let step = 1; step <= count; step++) {
    const isDone = async () => {
      const entry = await store.get(keyOf(step))
      return (read(entry?.value).last[client] ?? 0) >= step
    }
    while (!(await attempt(() => increment(store, client, step), troubles)))
      if (await untilAnswered(isDone, troubles)) break
  }
  return troubles
}

const increment = (store: Store, client: string, step: number) =>
  mutate(
    store,
    keyOf(step),
    (entry) => {
      const { sum, last } = read(entry?.value)
      if ((last[client] ?? 0) >= step) return undefined
      const next: Sum = { sum: sum + 1, last: { ...last, [client]: step } }
      return new TextEncoder().encode(JSON.stringify(next))
    },
    { attemptsMax },
  )

async function attempt(run: () => Promise<unknown>, troubles: Troubles): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error))
    if (error.code === 'unknown_outcome') troubles.unknownOutcomes++
    else if (error.code === 'unavailable') troubles.unavailable++
    else throw error
    return false
  }
}

/** On a machine with too much to do a server may be silent for seconds; nothing has happened then. */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unavailable')) throw error
    }
}

async function untilAnswered(ask: () => Promise<boolean>, troubles: Troubles): Promise<boolean> {
  for (;;) {
    let answer = false
    const isAnswered = await attempt(async () => {
      answer = await ask()
    }, troubles)
    if (isAnswered) return answer
  }
}

async function sumsIn(store: Store): Promise<number[]> {
  const sums: number[] = []
  for await (const { value } of store.scan('ns/sum')) sums.push(read(value).sum)
  return sums
}

/** How many increments are lost, and how many were made twice. */
export async function missed(
  store: Store,
  total: number,
): Promise<{ lost: number; doubles: number }> {
  const sums = await sumsIn(store)
  const over = sums.map((sum) => sum - total / keys)
  const found = sums.reduce((all, sum) => all + sum, 0)
  const doubles = over.filter((more) => more > 0).reduce((all, more) => all + more, 0)
  return { lost: total - found + doubles, doubles }
}

/** No increment is lost, and none was made twice. */
export async function assertSums(store: Store, total: number): Promise<void> {
  assert.deepEqual(
    await sumsIn(store),
    Array.from({ length: keys }, () => total / keys),
  )
}
