import type { ComponentChildren } from 'preact'
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
        <p class="buttons">
          <button type="submit" class="main" disabled={doing.isBusy}>
            {button}
          </button>
          <button type="button" onClick={onClose}>
            Go back
          </button>
        </p>
      </form>
    </Dialog>
  )
}

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
