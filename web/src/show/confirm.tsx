import type { ComponentChildren } from 'preact'
import { Failure, failureOf } from '../source/failure.ts'
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
  <FormDialog
    title={title}
    button={button}
    isFinal
    run={() => run().catch(firstOf)}
    onDone={onDone}
    onClose={onClose}
  >
    <p>{children}</p>
  </FormDialog>
)

/** What is gone the page below says already; what is news here is that it went before it was deleted. */
function firstOf(error: unknown): never {
  if (failureOf(error).kind !== 'missing') throw error
  throw new Failure('missing', 'Someone else deleted it first.', 'Nothing is left to do.')
}
