/** How long one turn of the event loop may be held: a server has others to answer. */
const holdMsMax = 10

let isHeld = false
let heldSince = 0

/** Browsers have no `setImmediate`. */
const onNextTurn: (resume: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : (resume) => setTimeout(resume, 0)

/**
 * What a long read waits for at each of its steps: null, or a promise for a later turn of the event loop once this one
 * has been held for 10 ms. Stores at hand answer without waiting, so without this a loop of reads would keep the event
 * loop until its end, however many promises it awaits. All who call it share one clock: many reads at once hold a turn
 * no longer than one does.
 */
export function eventLoopTurn(): Promise<void> | null {
  if (!isHeld) {
    isHeld = true
    heldSince = performance.now()
    onNextTurn(() => {
      isHeld = false
    })
    return null
  }
  return isSpent() ? turnWithTime() : null
}

const isSpent = (): boolean => isHeld && performance.now() - heldSince >= holdMsMax

/**
 * Who waits for a turn, in the order in which they came, so that nobody who comes again and again starves the others;
 * those before `served` have had theirs.
 */
let waiting: (() => void)[] = []
let served = 0
/** So many are kept before they are taken off. */
const servedMax = 1_000

const turnWithTime = (): Promise<void> =>
  new Promise((resume) => {
    if (waiting.push(resume) === 1) onNextTurn(serve)
  })

/** Begins a turn with one of those who wait, whoever else has spent it already. */
function serve(): void {
  eventLoopTurn()
  serveNext()
}

/** Then come others, one after what the other does at once, until the turn is spent. */
function serveNext(): void {
  waiting[served++]?.()
  if (served === waiting.length || served >= servedMax) {
    waiting = waiting.slice(served)
    served = 0
  }
  if (waiting.length > 0) queueMicrotask(() => (isSpent() ? onNextTurn(serve) : serveNext()))
}
