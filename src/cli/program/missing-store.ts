import { StoreError } from '../../store/internal.ts'

/** Says how to get a store, where there is none and a command of the program would make one. */
export function explainMissing(error: unknown, url: string, starter: string | undefined): unknown {
  const isMissing = error instanceof StoreError && error.reason === 'missing_store'
  // Such a one can't be started so; what the driver says of it stands. A bucket may be missing altogether.
  const isHopeless =
    url === 'memory:' || (url.startsWith('s3:') && !/ever stored/.test(String(error)))
  if (!isMissing || starter === undefined || isHopeless) return error
  const what = error.message.slice(0, -error.next.length).trimEnd()
  return new StoreError(
    'missing_store',
    what,
    `Start one with "${starter}", or name another with --store.`,
    error,
  )
}
