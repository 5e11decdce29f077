import type { Range } from './state.ts'

/** A list longer than its pane: `top` is the position of the first row that is shown. */
export interface Window {
  readonly top: number
  readonly height: number
  readonly total: number
}

export type Step = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last'

export const lastTop = ({ height, total }: Omit<Window, 'top'>): number =>
  Math.max(0, total - Math.max(0, height))

/** The nearest top that leaves no empty rows. */
export const clampTop = (window: Window): number =>
  Math.max(0, Math.min(window.top, lastTop(window)))

/** A page keeps one row of the last, by which the eye finds its place. */
const pageOf = (height: number): number => Math.max(1, height - 1)

/** Where a step leads from a position, among so many. */
export function stepped(from: number, step: Step, { height, total }: Omit<Window, 'top'>): number {
  const page = pageOf(height)
  const to = {
    up: from - 1,
    down: from + 1,
    'page-up': from - page,
    'page-down': from + page,
    first: 0,
    last: total - 1,
  }[step]
  return Math.max(0, Math.min(to, total - 1))
}

/** The top with which a position is in view, moved as little as possible. */
export function topShowing(position: number, window: Window): number {
  const lowest = position - Math.max(1, window.height) + 1
  return clampTop({ ...window, top: Math.max(lowest, Math.min(window.top, position)) })
}

/** The positions in view; null where there are none. */
export function visible(window: Window): Range | null {
  const first = clampTop(window)
  const last = Math.min(window.total, first + window.height) - 1
  return last < first ? null : { first, last }
}

/** `12–31 of 200`, counted from 1. */
export function rangeText(window: Window): string {
  const range = visible(window)
  return range ? `${range.first + 1}–${range.last + 1} of ${window.total}` : `${window.total}`
}
