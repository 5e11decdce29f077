import { useLayoutEffect, useRef } from 'preact/hooks'
import { entryKey, leave, leftAt } from '../entry.ts'
import { focusable } from './focus.ts'

/** The keys that move between rows, as what they do to the number of a row. */
const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  PageDown: (at, count) => Math.min(at + 10, count - 1),
  PageUp: (at) => Math.max(at - 10, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** The row that a key leads to; null where it leads to none. */
export function rowAfter(event: KeyboardEvent, at: number, count: number): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null
  return moves[event.key]?.(at, count) ?? null
}

/** Whether the focus is nobody's: a list that is come back to may take it. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || document.activeElement?.id === 'main'

/**
 * Makes a list one stop of the Tab key. Within it the arrow keys move: up and down between its rows, which have `data-row`,
 * left and right between their controls. Going back to the view finds the row again.
 */
export function useArrows<E extends HTMLElement>(name: string) {
  const box = useRef<E>(null)
  const entry = entryKey()
  useLayoutEffect(() => {
    const element = box.current
    return element ? arrowsIn(element, entry, `row of ${name}`) : undefined
  }, [entry, name])
  return box
}

const rowsIn = (list: Element): HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>('[data-row]'),
]

const controlsIn = (row: Element): HTMLElement[] => [
  ...(row.matches(focusable) ? [row as HTMLElement] : []),
  ...row.querySelectorAll<HTMLElement>(focusable),
]

function arrowsIn(list: HTMLElement, entry: string, name: string): () => void {
  list.dataset['arrows'] = ''
  /** What Tab comes to. */
  let stop: HTMLElement | undefined
  const arrange = () => {
    const rows = rowsIn(list)
    if (!stop?.isConnected) stop = rows.flatMap((row) => controlsIn(row).slice(0, 1))[0]
    for (const row of rows)
      for (const control of controlsIn(row)) {
        const tabIndex = control === stop ? '0' : '-1'
        if (control.getAttribute('tabindex') !== tabIndex)
          control.setAttribute('tabindex', tabIndex)
      }
  }
  const onFocus = ({ target }: FocusEvent) => {
    const row = (target as Element).closest<HTMLElement>('[data-row]')
    if (!row || !(target instanceof HTMLElement)) return
    if (stop) stop.tabIndex = -1
    stop = target
    target.tabIndex = 0
    leave(entry, name, row.dataset['row'])
  }
  const onKey = (event: KeyboardEvent) => {
    const next = controlAfter(list, event)
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  const observer = new MutationObserver(arrange)
  observer.observe(list, { childList: true, subtree: true })
  arrange()
  list.addEventListener('focusin', onFocus)
  list.addEventListener('keydown', onKey)
  const kept = leftAt<string>(entry, name)
  const row = rowsIn(list).find((each) => each.dataset['row'] === kept)
  if (kept !== undefined && row && isFocusFree()) controlsIn(row)[0]?.focus({ preventScroll: true })
  return () => {
    observer.disconnect()
    list.removeEventListener('focusin', onFocus)
    list.removeEventListener('keydown', onKey)
  }
}

function controlAfter(list: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
  const target = event.target as HTMLElement
  const rows = rowsIn(list)
  const at = rows.findIndex((row) => row.contains(target))
  if (at === -1 || target.matches('input:not([type=checkbox]), select, textarea')) return undefined
  const row = rowAfter(event, at, rows.length)
  const column = controlsIn(rows[at] as Element).indexOf(target)
  if (row !== null) {
    const controls = controlsIn(rows[row] as Element)
    return controls[Math.min(column, controls.length - 1)]
  }
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return undefined
  const all = rows.flatMap(controlsIn)
  return all[all.indexOf(target) + step]
}
