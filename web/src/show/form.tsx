import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { FailureBox, useDoing } from './notice.tsx'

/** What was typed into a field, without the space around it. */
export type Typed = (name: string) => string

/** A form over the page. Where what it asks for is refused it stays, with all that was typed, and says why. */
export function FormDialog({
  title,
  button,
  run,
  onDone,
  onClose,
  children,
}: {
  title: string
  button: string
  run: (typed: Typed) => Promise<unknown>
  onDone: () => void
  onClose: () => void
  children: ComponentChildren
}) {
  const doing = useDoing()
  const send = async (form: HTMLFormElement) => {
    const data = new FormData(form)
    const typed = (name: string) => String(data.get(name) ?? '').trim()
    if (await doing.run('', () => run(typed))) onDone()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send(event.currentTarget)
        }}
      >
        {children}
        {doing.failure && <FailureBox failure={doing.failure} />}
        <Buttons button={button} isBusy={doing.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** One line of text that is asked for, with its two buttons. */
export function Ask({
  title,
  label,
  button,
  initial = '',
  isOptional = false,
  onDone,
  onClose,
}: {
  title: string
  label: string
  button: string
  initial?: string
  isOptional?: boolean
  onDone: (text: string) => void
  onClose: () => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone(input.current?.value.trim() ?? '')
        }}
      >
        <Field name={label}>
          <input ref={input} defaultValue={initial} required={!isOptional} />
        </Field>
        <Buttons button={button} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** How a form is sent, or left. */
const Buttons = (p: { button: string; isBusy?: boolean; onClose: () => void }) => (
  <p class="buttons">
    <button type="submit" class="main" disabled={p.isBusy}>
      {p.button}
    </button>
    <button type="button" onClick={p.onClose}>
      Go back
    </button>
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
