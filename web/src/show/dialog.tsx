import { type ComponentChildren, createContext, Fragment } from 'preact'
import { useCallback, useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keepFocusIn } from './focus.ts'

/** What a dialog shows, given how to close it. */
type Content = (close: () => void) => ComponentChildren

const DialogContext = createContext<(content: Content) => void>(() => {})

/** Opens a dialog over the page. Whatever happens to the view below, it stays until it is closed or the page is left. */
export const useDialog = () => useContext(DialogContext)

/** Where the open dialog is. */
export function Dialogs({ children }: { children: ComponentChildren }) {
  const [opened, setOpened] = useState<{ n: number; content: Content } | null>(null)
  const open = useCallback(
    (content: Content) => setOpened((before) => ({ n: (before?.n ?? 0) + 1, content })),
    [],
  )
  const close = () => setOpened((now) => (now?.n === opened?.n ? null : now))
  return (
    <DialogContext.Provider value={open}>
      {children}
      {opened && <Fragment key={opened.n}>{opened.content(close)}</Fragment>}
    </DialogContext.Provider>
  )
}

/** A question over the page. The browser keeps the focus in it and gives it back, and Escape closes it unless it is busy. */
export function Dialog({
  title,
  isBusy = false,
  onClose,
  children,
}: {
  title: string
  isBusy?: boolean
  onClose: () => void
  children: ComponentChildren
}) {
  const element = useRef<HTMLDialogElement>(null)
  const isShown = useRef(true)
  useLayoutEffect(() => {
    const dialog = element.current
    if (!dialog) return
    const letGo = keepFocusIn(dialog)
    dialog.showModal()
    return () => {
      letGo()
      // Whoever takes it away has closed it: that is told to nobody.
      isShown.current = false
      dialog.close()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={() => isShown.current && onClose()}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
