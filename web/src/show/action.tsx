import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useIsHere } from '../here.ts'
import type { Reading } from '../reading.ts'
import { Failure, outcomeOf } from '../source/failure.ts'
import { useDeliberate } from './deliberate.ts'
import { plain } from './text.tsx'

/** What was done, and the state that it led to: it is said for as long as that holds. */
export interface Done {
  readonly words: string
  readonly id: string
  /** Null where the thing is gone. */
  readonly state: string | null
}

/** What a person does to what a view shows, and what came of it. */
export interface Action {
  readonly isBusy: boolean
  readonly failure: Failure | null
  readonly done: string | null
  /** Runs it, says how it ended, and reads again what the view shows. True where it was done and the view is still there. */
  readonly run: (act: () => Promise<Done>) => Promise<boolean>
  /** Says so of what has been done elsewhere, and reads again. */
  readonly tell: (done: Done) => void
  /** Says that a press came too soon after the view had changed, unless it says already why that was. */
  readonly tooSoon: () => void
}

/** Told at that time; `isSeen` once the view has shown that state. */
type Told = Done & { readonly at: number; readonly isSeen: boolean }

interface Phase {
  /** How many actions are under way: in a list several may be. */
  readonly running: number
  readonly failure: Failure | null
  readonly told: Told | null
}

const idle: Phase = { running: 0, failure: null, told: null }

/**
 * The actions of a view. `stateOf` finds the state of a thing in what the view shows; null where it is not shown. A notice of
 * success goes away as soon as the view shows the thing in another state.
 */
export function useAction<T>(
  reading: Pick<Reading<T>, 'value' | 'askedAt' | 'again'>,
  stateOf: (value: T, id: string) => string | null,
): Action {
  const [phase, setPhase] = useState(idle)
  const isHere = useIsHere()
  const { told } = phase
  const shown = told && stateShown(reading, told, stateOf)
  const isSeen = told !== null && (told.isSeen || shown === told.state)
  const isOver =
    told !== null && shown !== unknown && shown !== told.state && (shown !== null || isSeen)
  useEffect(() => {
    if (told === null || isSeen === told.isSeen) return
    setPhase((now) => (now.told === told ? { ...now, told: { ...told, isSeen } } : now))
  }, [told, isSeen])
  useEffect(() => {
    if (isOver) setPhase((now) => (now.told === told ? { ...now, told: null } : now))
  }, [told, isOver])
  const tell = (done: Done) => {
    setPhase((now) => ({ ...now, failure: null, told: toldNow(done) }))
    void reading.again()
  }
  const tooSoon = () =>
    setPhase((now) =>
      now.failure || now.told || now.running > 0 ? now : { ...now, failure: changedUnderPress },
    )
  const run = async (act: () => Promise<Done>): Promise<boolean> => {
    setPhase(({ running, failure }) => ({
      running: running + 1,
      // The refusal of another one that is under way at the same time stays.
      failure: running > 0 ? failure : null,
      told: null,
    }))
    const outcome = await outcomeOf(act)
    if (!isHere.current) return false
    setPhase(({ running, failure }) => ({
      running: running - 1,
      failure: 'failure' in outcome ? outcome.failure : failure,
      told: 'value' in outcome ? toldNow(outcome.value) : null,
    }))
    // After a refusal as well: what there is now is why.
    void reading.again()
    return 'value' in outcome
  }
  const { running, failure } = phase
  const done = told && !isOver ? told.words : null
  return { isBusy: running > 0, failure, done, run, tell, tooSoon }
}

const changedUnderPress = new Failure(
  'conflict',
  'This changed just before you pressed.',
  'Check it, then decide again.',
)

const toldNow = (done: Done): Told => ({ ...done, at: performance.now(), isSeen: false })

const unknown = Symbol('unknown')

/** A view that was asked for before the action ended says nothing of what it led to. */
function stateShown<T>(
  { value, askedAt }: Pick<Reading<T>, 'value' | 'askedAt'>,
  { id, at }: Told,
  stateOf: (value: T, id: string) => string | null,
) {
  return value === null || askedAt === null || askedAt < at ? unknown : stateOf(value, id)
}

interface ActionButtonProps {
  readonly action: Action
  /** The state that it acts on, as the view shows it. */
  readonly on: string
  readonly kind?: 'main' | 'link' | undefined
  readonly label?: string
  readonly onPress: () => void
  readonly children: ComponentChildren
}

/** A button that does something to what a view shows, or asks whether to: only once that was seen. */
export function ActionButton({ action, on, kind, label, onPress, children }: ActionButtonProps) {
  const { press, props } = useDeliberate(on, action.tooSoon)
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      disabled={action.isBusy}
      {...props}
      onClick={(event) => press(event, onPress)}
    >
      {children}
    </button>
  )
}

/** How an action ended; screen readers hear of it, too. */
export const Outcome = ({ action: { failure, done } }: { action: Action }) => (
  <div aria-live="polite" class="outcome">
    {failure && (
      <div class="notice bad">
        <p>
          <strong>
            {failure.kind === 'conflict' ? 'Nothing was changed. ' : ''}
            {plain(failure.message)}
          </strong>{' '}
          {failure.next}
        </p>
      </div>
    )}
    {done && (
      <div class="notice good">
        <p>{done}</p>
      </div>
    )}
  </div>
)
