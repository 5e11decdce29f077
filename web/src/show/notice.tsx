import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Reading } from '../reading.ts'
import { type Failure, failureOf } from '../source/failure.ts'
import { plain } from './text.tsx'
import { clockTime } from './time.tsx'

export function FailureBox({ failure, onAgain }: { failure: Failure; onAgain?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{plain(failure.message)}</strong> {failure.next}
      </p>
      {onAgain && (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Nothing there: what would bring something. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children && <p>{children}</p>}
  </div>
)

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Reading {what}…
  </p>
)

/**
 * A value that was read; before that, that it is being read; and where it could not be read again, since when it is old. What
 * is gone is gone: its last state is shown no more.
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
      <FailureBox failure={failure} onAgain={() => void again()} />
    ) : (
      <Loading what={what} />
    )
  return (
    <>
      {failure && (
        <div class="notice stale" role="alert">
          <p>
            <strong>As of {clockTime(asOfMs ?? 0)}: old, and maybe wrong by now.</strong>{' '}
            {plain(failure.message)} {failure.next}
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

/** Something that a person does, and what came of it. */
export interface Doing {
  readonly isBusy: boolean
  readonly failure: Failure | null
  readonly done: string | null
  /** `what` says what was done, once it is. True where it was. */
  readonly run: (what: string, action: () => Promise<unknown>) => Promise<boolean>
}

export function useDoing(): Doing {
  const [state, setState] = useState<Omit<Doing, 'run'>>({
    isBusy: false,
    failure: null,
    done: null,
  })
  const run = async (what: string, action: () => Promise<unknown>): Promise<boolean> => {
    setState({ isBusy: true, failure: null, done: null })
    try {
      await action()
      setState({ isBusy: false, failure: null, done: what })
      return true
    } catch (error) {
      setState({ isBusy: false, failure: failureOf(error), done: null })
      return false
    }
  }
  return { ...state, run }
}

/** Screen readers hear of it, too. */
export const Outcome = ({ doing }: { doing: Doing }) => (
  <div aria-live="polite" class="outcome">
    {doing.failure && (
      <div class="notice bad">
        <p>
          <strong>
            {doing.failure.kind === 'conflict' ? 'Nothing was changed. ' : ''}
            {plain(doing.failure.message)}
          </strong>{' '}
          {doing.failure.next}
        </p>
      </div>
    )}
    {doing.done && (
      <div class="notice good">
        <p>{doing.done}</p>
      </div>
    )}
  </div>
)
