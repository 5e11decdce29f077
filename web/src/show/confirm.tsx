import type { ComponentChildren } from 'preact'
import { FormDialog } from './form.tsx'

/** Asks before something is done that nothing can undo. Where it is refused, the question stays and says why. */
export const Confirm = <R,>({
  title,
  button,
  run,
  onDone,
  onClose,
  children,
}: {
  title: string
  button: string
  run: () => Promise<R>
  onDone: (result: R) => void
  onClose: () => void
  children: ComponentChildren
}) => (
  <FormDialog title={title} button={button} isFinal run={run} onDone={onDone} onClose={onClose}>
    <p>{children}</p>
  </FormDialog>
)
