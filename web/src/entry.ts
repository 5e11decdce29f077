import { useState } from 'preact/hooks'

/** What was left at an entry of the browser's history, by name: filters, open branches, places in lists. Going back finds it again. */
const left = new Map<string, Map<string, unknown>>()
const entriesMax = 100
let made = 0

/** The entry of the browser's history that is shown. A link leads to a new one, Back to one that was here before. */
export function entryKey(): string {
  const state = history.state as { readonly entry?: unknown } | null
  if (typeof state?.entry === 'string') return state.entry
  const entry = `${Date.now()}-${made++}`
  history.replaceState({ ...state, entry }, '')
  return entry
}

export const leftAt = <T>(entry: string, name: string): T | undefined =>
  left.get(entry)?.get(name) as T | undefined

export function leave(entry: string, name: string, value: unknown): void {
  const values = left.get(entry) ?? new Map<string, unknown>()
  // The one that was used last is the last to be forgotten.
  left.delete(entry)
  left.set(entry, values.set(name, value))
  const [oldest] = left.keys()
  if (left.size > entriesMax && oldest !== undefined) left.delete(oldest)
}

/** Nothing is found there again. */
export const forget = (entry: string): void => void left.delete(entry)

/** A state that is found again by going back. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [entry] = useState(entryKey)
  const [value, setValue] = useState(() => leftAt<T>(entry, name) ?? initial)
  return [
    value,
    (next) => {
      leave(entry, name, next)
      setValue(() => next)
    },
  ]
}
