import type { ComponentChildren } from 'preact'
import { useDeliberate } from './deliberate.ts'

interface ButtonProps {
  /** While something runs it does nothing. It stays in reach then: a disabled button would lose the focus to nowhere. */
  readonly isBusy: boolean
  readonly kind?: 'main' | 'link'
  /** What a press acts on: it does nothing before that has been on the screen for long enough. Left out where it changes nothing. */
  readonly on?: string | null
  /** Whether the dialog that it is in begins with it. */
  readonly isFirst?: boolean
  /** Left out where it sends the form. */
  readonly onClick?: () => void
  readonly children: ComponentChildren
}

/** A button of a form. */
export function Button({ isBusy, kind, on = null, isFirst, onClick, children }: ButtonProps) {
  const { isSettled, press, props } = useDeliberate(on)
  return (
    <button
      type={onClick ? 'button' : 'submit'}
      class={kind}
      autofocus={isFirst}
      {...(on === null ? {} : props)}
      aria-disabled={isBusy || !isSettled}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else press(event, onClick)
      }}
    >
      {children}
    </button>
  )
}
