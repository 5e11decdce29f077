import type { ComponentChildren } from 'preact'
import type { Reading } from '../reading.ts'
import type { Failure } from '../source/failure.ts'
import { plain } from './text.tsx'
import { clockTime } from './time.tsx'

export function FailureBox({
  failure,
  isRetried = false,
  onAgain,
}: {
  failure: Failure
  /** Whether the page tries again without being asked. */
  isRetried?: boolean
  onAgain?: () => void
}) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>
          {failure.kind === 'conflict' ? 'Nothing was changed. ' : ''}
          {plain(failure.message)}
        </strong>{' '}
        {failure.next}
        {isRetried && keepsTrying(failure)}
      </p>
      {onAgain && (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  )
}

/** What is read is read again, whatever went wrong; it is worth a word where that may help. */
const keepsTrying = ({ kind }: Failure): string =>
  kind === 'unreachable' ? ' The page keeps trying.' : ''

/** Nothing there: what would bring something. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children && <p>{children}</p>}
  </div>
)

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Loading {what}…
  </p>
)

/**
 * A value that was read; before that, that it is being read; and where it could not be read again, as of when it is. The last
 * state of something that was deleted is not shown.
 */
export function Shown<T>({
  reading,
  what,
  children,
}: {
  reading: Reading<T>
  what: string
  children: (value: T) => ComponentChildren
}) {
  const { value, failure, asOfMs, again } = reading
  if (value === null || failure?.kind === 'missing')
    return failure ? (
      <FailureBox failure={failure} isRetried onAgain={() => void again()} />
    ) : (
      <Loading what={what} />
    )
  return (
    <>
      {failure && (
        <div class="notice stale" role="alert">
          <p>
            <strong>As of {clockTime(asOfMs ?? 0)}: this may be out of date.</strong>{' '}
            {plain(failure.message)} {failure.next}
            {keepsTrying(failure)}
          </p>
          <button type="button" onClick={() => void again()}>
            Try again
          </button>
        </div>
      )}
      <div class={failure ? 'is-stale' : undefined}>{children(value)}</div>
    </>
  )
}
