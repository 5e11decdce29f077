import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A question over the page. The browser keeps the focus in it, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
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
        <label class="field">
          <span>{label}</span>
          <input ref={input} defaultValue={initial} required={!isOptional} />
        </label>
        <p class="buttons">
          <button type="submit" class="main">
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
