import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useConnected } from './context.ts'
import { type Look, nothing, Reader, type State } from './reader.ts'
import type { Model } from './source/source.ts'

/** What a view shows: a value, since when, and what is wrong if it could not be read again. */
export interface Reading<T, Q = unknown> extends Omit<State<T>, 'key'> {
  /** Reads again, at once. */
  readonly again: () => Promise<void>
  /** Reads at once, as if nothing had been read before. */
  readonly restart: () => Promise<void>
  /** Reads more of the query, and takes what `more` makes of it and of what is shown. */
  readonly extend: (more: More<T, Q>) => Promise<void>
}

type More<T, Q> = (query: Q, value: T, signal: AbortSignal) => Promise<T>

interface ReadingOptions<T> {
  /** However much happens, it is read at most so often. */
  readonly pauseMs?: number
  /** How often it is read without a hint; the source says where this does not. */
  readonly pollMs?: number
  /** While this says so of what is shown, it is not renewed. */
  readonly isHeld?: (value: T) => boolean
}

const pauseMsDefault = 1_000

/**
 * Reads what a query asks for, and again whenever it may have changed: on a hint of the source, in time, or when the tab is
 * seen again. Hidden tabs read nothing. A value that could not be renewed stays, with its time and the failure: it is never
 * shown as new.
 *
 * What belongs to another query is never shown. Each query has a reader of its own, which ends with it, and `read` gets the
 * query that it is to answer, as does what reads more of it: there is no other way to a value.
 */
export function useReading<const Q extends readonly unknown[], T>(
  query: Q,
  model: Model,
  read: (query: Q, look: Look) => Promise<T>,
  { pauseMs = pauseMsDefault, pollMs, isHeld = () => false }: ReadingOptions<T> = {},
): Reading<T, Q> {
  const { source, onHint } = useConnected()
  const pace = Math.min(pollMs ?? source.pollMs, source.pollMs)
  const key = JSON.stringify(query)
  const [state, tell] = useState<State<T>>({ key, ...nothing })
  const current = useRef<{ query: Q; reader: Reader<T> } | null>(null)
  useEffect(() => {
    const reader = new Reader<T>({
      key,
      pollMs: pace,
      pauseMs,
      read: (look) => read(query, look),
      isHeld,
      tell,
    })
    current.current = { query, reader }
    const stopHints = onHint((hint) => {
      if (hint.model === null || hint.model === model) reader.soon()
    })
    const onVisible = () => (document.hidden ? reader.sleep() : reader.soon())
    document.addEventListener('visibilitychange', onVisible)
    void reader.again()
    return () => {
      stopHints()
      document.removeEventListener('visibilitychange', onVisible)
      reader.end()
    }
    // The key stands for the query, and `read` goes by that alone.
  }, [key, model, source, onHint, pauseMs, pace])
  const again = useCallback(async () => current.current?.reader.again(), [])
  const restart = useCallback(async () => current.current?.reader.restart(), [])
  const extend = useCallback(async (more: More<T, Q>) => {
    const { query: asked, reader } = current.current ?? {}
    if (asked && reader) await reader.extend((value, signal) => more(asked, value, signal))
  }, [])
  const shown = state.key === key ? state : { ...nothing }
  return { ...shown, again, restart, extend }
}
