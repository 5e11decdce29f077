import { useEffect, useState } from 'preact/hooks'

/**
 * So long something must have been on the screen before a press acts on it. The slowest double click that desktops let people
 * choose is 900 ms, so its second half never reaches what the first one brought about; and by then one has seen a change.
 */
const settleMs = 1_000

/** Two presses of the mouse are at the same place within this. */
const samePlacePx = 12

/** A control whose press changes something, and whether what it would change has been seen. */
interface Deliberate {
  readonly isSettled: boolean
  /** Does it, or stops a press that comes too early. */
  readonly press: (event: Event, act?: () => void) => void
  /** For the control. */
  readonly props: { readonly 'data-acts': ''; readonly 'aria-disabled': boolean }
}

/**
 * Ties a control to the state that it is drawn with: mouse, Enter and Space do nothing before both have been on the screen for
 * a second. A press that comes earlier begins that second again, so neither a key that is held down nor impatience gets
 * through. `state` is all that the control acts on; null where it needs no such care. `onEarly` hears of presses that came
 * just after another state had been there.
 */
export function useDeliberate(state: string | null, onEarly?: () => void): Deliberate {
  const [seen, setSeen] = useState<string | null>(null)
  const [earlyCount, setEarlyCount] = useState(0)
  // An effect runs once the state has been drawn.
  useEffect(() => {
    if (state === null) return
    const timer = setTimeout(() => setSeen(state), settleMs)
    return () => clearTimeout(timer)
  }, [state, earlyCount])
  const isSettled = state === null || seen === state
  const press = (event: Event, act?: () => void) => {
    if (isSettled) return act?.()
    event.preventDefault()
    setEarlyCount((count) => count + 1)
    if (seen !== null) onEarly?.()
  }
  return { isSettled, press, props: { 'data-acts': '', 'aria-disabled': !isSettled } }
}

interface Press {
  readonly control: Element | null
  readonly atMs: number
  readonly isKey: boolean
  readonly x: number
  readonly y: number
}

/**
 * Drops the second of two quick presses where another control has come to the place of the first, or to the focus: the row
 * below the one that has gone was seen, but not meant.
 */
export function useNoSlips(): void {
  useEffect(() => {
    let last: Press | null = null
    const onClick = (event: MouseEvent) => {
      const before = last
      last = pressOf(event)
      if (before === null || !isSlip(before, last)) return
      if (!(event.target instanceof Element) || !event.target.closest(acting)) return
      event.preventDefault()
      event.stopPropagation()
    }
    /** Whoever moves the focus knows where it is. */
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Enter' && key !== ' ') last = null
    }
    document.addEventListener('click', onClick, true)
    document.addEventListener('keydown', onKey, true)
    return () => {
      document.removeEventListener('click', onClick, true)
      document.removeEventListener('keydown', onKey, true)
    }
  }, [])
}

const acting = '[data-acts], label:has([data-acts])'

/** Keys and what sends a form without the mouse make clicks, too, of which the browser says that they are none. */
const pressOf = ({ target, timeStamp, detail, clientX, clientY }: MouseEvent): Press => ({
  control:
    target instanceof Element ? (target.closest('label') ?? target.closest('button, a')) : null,
  atMs: timeStamp,
  isKey: detail === 0,
  x: clientX,
  y: clientY,
})

const isSlip = (before: Press, now: Press): boolean =>
  now.atMs - before.atMs < settleMs &&
  before.control !== now.control &&
  before.isKey === now.isKey &&
  (now.isKey || Math.hypot(now.x - before.x, now.y - before.y) < samePlacePx)
