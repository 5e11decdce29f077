import { absent, type StateId } from './states.ts'
import type { Part, Step } from './steps.ts'

/** Far more than any history of ours takes; one that takes more is not passed but failed. */
export const looksMaxDefault = 2_000_000

export type Finding =
  | { readonly type: 'linearizable'; readonly looks: number }
  /** `order` is the longest one that holds; `stuck` must have happened by then, and can't have. */
  | { readonly type: 'violation'; readonly order: readonly Step[]; readonly stuck: Step }
  | { readonly type: 'undecided'; readonly looks: number }

/** A call or a return on the list, which can be taken off and put back. */
interface Event {
  readonly step: Step
  /** Of a call: its return, if it ever returned. Of a return: null. */
  readonly return: Event | null
  readonly isCall: boolean
  /** Which bit of a set of steps is this one's. */
  readonly bit: number
  before: Event
  after: Event | null
}

/** A step that was taken, and what to go back to. */
interface Taken {
  readonly event: Event
  readonly states: StateId[]
  /** It changed nothing, and so could only be taken at once or later to no other effect. */
  readonly isIdle: boolean
}

/**
 * Looks for an order in which the operations of a part could have happened one after another: the algorithm of Wing & Gong
 * with Lowe's memory of what was tried, on a linked list of calls and returns, as in Porcupine. A step without a
 * return may be taken at any time after its call, or never. One that changes nothing is taken as soon as it
 * holds: any order that has it later also holds with it now.
 */
export function search(part: Part, looksMax = looksMaxDefault): Finding {
  return new Search(part).run(looksMax)
}

class Search {
  readonly #head: Event
  #states: StateId[]
  #returnsLeft: number
  readonly #taken: Taken[] = []
  readonly #bits: Uint32Array
  readonly #tried = new Set<string>()
  #longest: readonly Step[] = []
  #stuck: Step | undefined
  #looks = 0

  constructor({ keys, steps }: Part) {
    this.#head = eventsOf(steps)
    this.#states = keys.map(() => absent)
    this.#returnsLeft = steps.filter(({ returnedAt }) => Number.isFinite(returnedAt)).length
    this.#bits = new Uint32Array(Math.ceil(steps.length / 32))
  }

  run(looksMax: number): Finding {
    let event = this.#firstOf(this.#head.after)
    while (this.#returnsLeft > 0) {
      if (++this.#looks > looksMax) return { type: 'undecided', looks: this.#looks }
      if (event?.isCall) {
        event = this.#take(event) ? this.#firstOf(this.#head.after) : this.#next(event)
        continue
      }
      this.#remember(event!)
      const back = this.#goBack()
      if (back === null) return { type: 'violation', order: this.#longest, stuck: this.#stuck! }
      event = this.#next(back)
    }
    return { type: 'linearizable', looks: this.#looks }
  }

  /** The first that holds and changes nothing, if there is one before the first return; else simply the first. */
  #firstOf(first: Event | null): Event | null {
    for (let event = first; event?.isCall; event = event.after)
      if (event.step.type !== 'write' && this.#holds(event.step)) return event
    return first
  }

  /** The next call that may be tried; only writes, for all that changes nothing was looked at before. */
  #next(event: Event): Event | null {
    let next = event.after
    while (next?.isCall && next.step.type !== 'write') next = next.after
    return next
  }

  #holds({ type, touches }: Step): boolean {
    const isAsExpected = touches.every(({ key, expects }) => this.#states[key] === expects)
    return type === 'conflict' ? !isAsExpected : isAsExpected
  }

  /** Takes a step where it holds and leads to where nobody has been. */
  #take(event: Event): boolean {
    const { step, bit } = event
    if (!this.#holds(step)) return false
    const isIdle = step.type !== 'write'
    const states = this.#states
    const next = isIdle ? states : [...states]
    if (!isIdle) for (const { key, becomes } of step.touches) next[key] = becomes
    this.#flip(bit)
    if (!isIdle && !this.#isNew(next)) {
      this.#flip(bit)
      return false
    }
    this.#taken.push({ event, states, isIdle })
    this.#states = next
    this.#lift(event)
    return true
  }

  /** Undoes the last step to which there may be another one. */
  #goBack(): Event | null {
    for (;;) {
      const last = this.#taken.pop()
      if (last === undefined) return null
      this.#states = last.states
      this.#flip(last.event.bit)
      this.#putBack(last.event)
      if (!last.isIdle) return last.event
    }
  }

  #isNew(states: readonly StateId[]): boolean {
    const name = `${this.#bits.join()};${states.join()}`
    const before = this.#tried.size
    return this.#tried.add(name).size > before
  }

  #flip(bit: number): void {
    this.#bits[bit >>> 5]! ^= 1 << (bit & 31)
  }

  #lift(event: Event): void {
    for (const each of [event, event.return]) {
      if (each === null) continue
      each.before.after = each.after
      if (each.after) each.after.before = each.before
    }
    if (event.return) this.#returnsLeft--
  }

  #putBack(event: Event): void {
    for (const each of [event.return, event]) {
      if (each === null) continue
      each.before.after = each
      if (each.after) each.after.before = each
    }
    if (event.return) this.#returnsLeft++
  }

  #remember({ step }: Event): void {
    if (this.#stuck !== undefined && this.#taken.length <= this.#longest.length) return
    this.#longest = this.#taken.map(({ event }) => event.step)
    this.#stuck = step
  }
}

/** Calls and returns by time; at the same time calls come first, so that both count as concurrent. */
function eventsOf(steps: readonly Step[]): Event {
  const events = steps.flatMap((step, bit): { event: Event; at: number }[] => {
    const base = { step, bit, before: undefined as unknown as Event, after: null }
    const { calledAt, returnedAt } = step
    if (!Number.isFinite(returnedAt))
      return [{ event: { ...base, isCall: true, return: null }, at: calledAt }]
    const end: Event = { ...base, isCall: false, return: null }
    const start: Event = { ...base, isCall: true, return: end }
    return [
      { event: start, at: calledAt },
      { event: end, at: returnedAt },
    ]
  })
  events.sort((a, b) =>
    a.at === b.at ? Number(b.event.isCall) - Number(a.event.isCall) : a.at < b.at ? -1 : 1,
  )
  const head = { after: null } as unknown as Event
  let last = head
  for (const { event } of events) {
    last.after = event
    event.before = last
    last = event
  }
  return head
}
