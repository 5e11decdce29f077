import type { ComponentChildren } from 'preact'

interface ButtonProps {
  /** While something runs it does nothing. It stays in reach then: a disabled button would lose the focus to nowhere. */
  readonly isBusy: boolean
  readonly kind?: 'main' | 'link'
  /** Whether the dialog that it is in begins with it. */
  readonly isFirst?: boolean
  /** Left out where it sends the form. */
  readonly onClick?: () => void
  readonly children: ComponentChildren
}

/** A button of a form. */
export const Button = ({ isBusy, kind, isFirst, onClick, children }: ButtonProps) => (
  <button
    type={onClick ? 'button' : 'submit'}
    class={kind}
    autofocus={isFirst}
    aria-disabled={isBusy}
    onClick={(event) => {
      if (isBusy) event.preventDefault()
      else onClick?.()
    }}
  >
    {children}
  </button>
)
