import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../store/internal.ts'
import type { Workshop } from './workshop.ts'

const pauseMsFirst = 50
const pauseMsMax = 5_000

/**
 * While the store is away there is nothing else to do than to wait for it. Throws what waiting would not help;
 * `onDoubt` hears of answers that were lost.
 */
export async function persistently<T>(
  shop: Workshop,
  call: () => Promise<T>,
  onDoubt: () => void = () => {},
): Promise<T> {
  for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
    try {
      return await call()
    } catch (error) {
      checkPassing(shop, error)
      if (isUnknown(error)) onDoubt()
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: shop.givenUp }).catch(() =>
        Promise.reject(error),
      )
    }
  }
}

/** Throws what waiting would not help. */
export function checkPassing(shop: Workshop, error: unknown): void {
  const isPassing =
    error instanceof StoreError && (error.code === 'unavailable' || isUnknown(error))
  if (!isPassing || shop.givenUp.aborted) throw error
  shop.away(error)
}

export const isUnknown = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'unknown_outcome'
