// Not a program itself: what those share that are made to be killed. They tell on standard output what they are about to do, and
// what came of it. The pipe keeps what was written before the end.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from 'holdfast/jobs'
import { StoreError } from 'holdfast/store'

const pauseMs = 20
const lookMs = 50
const stallMs = 300
let steps = 0

const now = () => performance.timeOrigin + performance.now()

/** Begins a step; what it gives tells how that ended. */
export function begin(given: object): (answer: object) => void {
  const n = steps++
  const tell = (said: object) => void writeSync(1, `${JSON.stringify({ n, at: now(), ...said })}\n`)
  tell(given)
  return tell
}

/** Does a step; null where it was refused, or the store did not take it. What is no such failure ends the program. */
export async function step<T>(
  given: object,
  act: () => Promise<T>,
  told: (result: T) => object = () => ({}),
): Promise<T | null> {
  const end = begin(given)
  try {
    const result = await act()
    end({ outcome: 'done', ...told(result) })
    return result
  } catch (error) {
    end({ outcome: outcomeOf(error) })
    await sleep(pauseMs)
    return null
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof Refusal) return 'refused'
  if (error instanceof StoreError && error.code === 'unavailable') return 'unavailable'
  if (error instanceof StoreError && error.code === 'unknown_outcome') return 'unknown'
  throw error
}

/** Tells of times in which it was not let run: a machine with too much to do stops a process as a signal does. */
function tellOfStalls(): void {
  let last = now()
  setInterval(() => {
    const [from, to] = [last, now()]
    last = to
    if (to - from > stallMs) begin({ what: 'stalled', from, to })
  }, lookMs)
}

/** Does the same in several lanes until it is killed. */
export async function forEver(lanes: number, act: (lane: number) => Promise<void>): Promise<never> {
  tellOfStalls()
  const work = async (_: unknown, lane: number): Promise<never> => {
    for (;;) await act(lane)
  }
  return Promise.race(Array.from({ length: lanes }, work))
}
