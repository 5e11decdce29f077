import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useIsHere } from '../here.ts'
import { Failure, type Outcome, outcomeOf } from '../source/failure.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureBox } from './notice.tsx'
import { type Difference, differencesOf, type Trait, yoursOf } from './trait.ts'
import { Versions } from './versions.tsx'

/** What was typed into a control, without the space around it. */
export type Typed = (name: string) => string

/** What a form changes. Others may change it, too, while somebody types. */
interface Subject<T> {
  /** As it was when the form was opened. */
  readonly seen: T
  readonly read: () => Promise<T>
  readonly traits: readonly Trait<T>[]
}

/** What a form sends: what was typed, and on which state of its subject. */
export interface Sent<T> {
  readonly typed: Typed
  readonly base: T
  /** Whether what is typed differs from the base. What does not is not sent: it may be somebody else's by now. */
  readonly isChanged: (name: string) => boolean
}

interface FormProps<T, R> {
  readonly title: string
  readonly button: string
  /** Whether nothing can undo it: then the focus begins at the way back, for a key that is held down is pressed again and again. */
  readonly isFinal?: true
  /** Left out where the form makes something new. */
  readonly subject?: Subject<T> | undefined
  readonly run: (sent: Sent<T>) => Promise<R>
  readonly onDone: (result: R) => void
  readonly onClose: () => void
  readonly children: ComponentChildren | ((base: T) => ComponentChildren)
}

/**
 * A form over the page. It closes once what it asks for is done. Where that is refused it stays, with all that was typed, and
 * says why; where somebody else has changed its subject it shows both versions, and whoever typed chooses.
 */
export function FormDialog<T, R>(props: FormProps<T, R>) {
  const { title, button, isFinal = false, subject, onClose, ...more } = props
  const element = useRef<HTMLFormElement>(null)
  const { isBusy, failure, differences, base, send, keepEditing } = useSending(
    { subject, ...more },
    element,
  )
  const outcome = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // Saving again leads nowhere: what is left is to read why.
    if (failure?.kind === 'missing') outcome.current?.focus()
  }, [failure])
  const { children } = more
  const fields = typeof children === 'function' ? children(base) : children
  const overwrite = () => {
    // What is missing can only be typed where the fields are seen.
    if (element.current?.checkValidity()) return void send()
    keepEditing()
    setTimeout(() => element.current?.reportValidity())
  }
  return (
    <Dialog title={title} isBusy={isBusy} onClose={onClose}>
      <form
        ref={element}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <div class="fields" hidden={differences !== null}>
          {fields}
        </div>
        {differences && <Versions differences={differences} />}
        <div class="outcome" ref={outcome} tabIndex={failure ? -1 : undefined}>
          {failure && <FailureBox failure={failure} />}
        </div>
        {differences ? (
          <Choices
            button={button}
            isBusy={isBusy}
            onOverwrite={overwrite}
            onKeep={keepEditing}
            onTake={onClose}
          />
        ) : (
          <Buttons
            button={button}
            // What is made new takes nobody's place.
            on={subject || isFinal ? title : null}
            isFinal={isFinal}
            isBusy={isBusy}
            onClose={onClose}
          />
        )}
      </form>
    </Dialog>
  )
}

type Sending<T, R> = Pick<FormProps<T, R>, 'subject' | 'run' | 'onDone'>

function useSending<T, R>(
  { subject, run, onDone }: Sending<T, R>,
  element: { readonly current: HTMLFormElement | null },
) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [differences, setDifferences] = useState<readonly Difference[] | null>(null)
  const [base, setBase] = useState(subject?.seen as T)
  const isHere = useIsHere()
  // Enter may be pressed again before the button is seen to be busy.
  const isSending = useRef(false)
  const send = async () => {
    const form = element.current
    if (!form || isSending.current) return
    isSending.current = true
    await sendOnce(form)
    isSending.current = false
  }
  const sendOnce = async (form: HTMLFormElement) => {
    setBusy(true)
    setFailure(null)
    const data = new FormData(form)
    const typed = (name: string) => String(data.get(name) ?? '').trim()
    const given = (name: string) => (data.has(name) ? typed(name) : null)
    const isChanged = (name: string) => {
      const trait = subject?.traits.find((each) => each.name === name)
      return trait !== undefined && yoursOf(trait, base, given) !== null
    }
    const outcome = await outcomeOf(() => run({ typed, base, isChanged }))
    // Whoever has gone elsewhere is not brought back.
    if (!isHere.current) return
    if ('value' in outcome) return onDone(outcome.value)
    const now = subject && isContested(outcome.failure) ? await outcomeOf(subject.read) : null
    setBusy(false)
    if (!subject || !now || !('value' in now)) return setFailure(refusalOf(outcome.failure, now))
    const found = differencesOf(subject.traits, { before: base, theirs: now.value, typed: given })
    if (!found.isChanged) return setFailure(outcome.failure)
    adopt(form, subject.traits, { before: base, theirs: now.value, typed: given })
    setBase(now.value)
    setDifferences(found.differences)
  }
  const keepEditing = () => setDifferences(null)
  const before = useRef(differences)
  useLayoutEffect(() => {
    // The button that was pressed has gone, and the fields are back.
    if (differences === null && before.current && element.current)
      fieldOf(element.current, before.current)?.focus()
    before.current = differences
  }, [differences, element])
  return { isBusy, failure, differences, base, send, keepEditing }
}

/** The field that both have changed, or only whoever typed; else the first one. */
function fieldOf(form: HTMLFormElement, differences: readonly Difference[]): HTMLElement | null {
  const yours = differences.filter(({ yours }) => yours !== null)
  const contested = yours.find(({ theirs, before }) => theirs !== before) ?? yours[0]
  const control = contested && form.elements.namedItem(contested.name)
  if (control instanceof HTMLElement) return control
  return form.querySelector<HTMLElement>('.fields :is(input, select, textarea)')
}

/** Whether it may be because somebody else has changed the subject. */
const isContested = ({ kind }: Failure): boolean =>
  kind === 'conflict' || kind === 'forbidden' || kind === 'missing'

function refusalOf(failure: Failure, now: Outcome<unknown> | null): Failure {
  const isGone = now !== null && 'failure' in now && now.failure.kind === 'missing'
  return isGone
    ? new Failure(
        'missing',
        'Someone deleted this while you were typing.',
        'Nothing was saved. Copy what you still need.',
      )
    : failure
}

/** Controls that whoever types has not touched show what stands there now. */
function adopt<T>(
  form: HTMLFormElement,
  traits: readonly Trait<T>[],
  versions: { before: T; theirs: T; typed: (name: string) => string | null },
): void {
  for (const trait of traits) {
    const control = form.elements.namedItem(trait.name)
    if (control === null || !('value' in control)) continue
    if (yoursOf(trait, versions.before, versions.typed) !== null) continue
    control.value = trait.of(versions.theirs)
    if (control instanceof Element) control.dispatchEvent(new Event('change', { bubbles: true }))
  }
}

/** How a form is sent, or left. */
const Buttons = (p: {
  button: string
  on: string | null
  isFinal: boolean
  isBusy: boolean
  onClose: () => void
}) => (
  <p class="buttons">
    <Button kind="main" on={p.on} isBusy={p.isBusy}>
      {p.button}
    </Button>
    <Button isBusy={p.isBusy} isFirst={p.isFinal} onClick={p.onClose}>
      Go back
    </Button>
  </p>
)

/** What can be done where there are two versions. They stand where a press has just sent the form, so each waits until it was seen. */
const Choices = (p: {
  button: string
  isBusy: boolean
  onOverwrite: () => void
  onKeep: () => void
  onTake: () => void
}) => (
  <p class="buttons">
    <Button kind="main" on="versions" isBusy={p.isBusy} onClick={p.onKeep}>
      Keep editing
    </Button>
    <Button on="versions" isBusy={p.isBusy} onClick={p.onTake}>
      Take theirs
    </Button>
    <Button on="versions" isBusy={p.isBusy} onClick={p.onOverwrite}>
      {p.button === 'Save' ? 'Overwrite with yours' : `${p.button} anyway`}
    </Button>
  </p>
)

/** One field of a form, with its name above it. */
export const Field = ({ name, children }: { name: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: what it stands for is among its children
  <label class="field">
    <span>{name}</span>
    {children}
  </label>
)

/** Words with commas between, as tags are typed. */
export const wordsOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
