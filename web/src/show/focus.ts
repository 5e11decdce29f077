import { useEffect } from 'preact/hooks'

/** What can have the focus, also where Tab passes over it. */
export const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]'

/** Further out than this nothing is near any more: then the title of the view gets the focus. */
const surroundings = 'section, article, header, main'

/** Buttons that do something to what the whole view shows. */
const actions = '.view-head .buttons, .actions .buttons'

/** Where an element is, for when it is gone: what is around it, up to a place, and which of the controls in there it is. */
interface Place {
  readonly element: HTMLElement
  readonly around: readonly { readonly box: Element; readonly at: number }[]
  /** The neighbor of an action is another action, often its opposite: the next key press would run it. */
  readonly isAction: boolean
  /** The address at which it had the focus. */
  readonly address: string
}

function placeOf(element: HTMLElement, outermost: string): Place {
  const around: { box: Element; at: number }[] = []
  for (let box = element.parentElement; box; box = box.parentElement) {
    around.push({ box, at: [...box.querySelectorAll(focusable)].indexOf(element) })
    if (box.matches(outermost)) break
  }
  const isAction = element.closest(actions) !== null
  return { element, around, isAction, address: location.hash }
}

/**
 * Keeps the focus on the page: where what had it is taken away or disabled, as after an action, it goes to what is there
 * now in its place, or to the title of the view, which also shows the new state. A click elsewhere ends that.
 */
export function useFocusKept(): void {
  useEffect(() => {
    const main = document.getElementById('main')
    if (!main) return
    let last: Place | null = null
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target.closest('dialog')) return
      last = target === main ? null : placeOf(target, surroundings)
    }
    const onBlur = ({ target }: FocusEvent) => {
      // What loses it over the page says nothing about the page.
      if (target instanceof HTMLElement && target.closest('dialog')) return
      queueMicrotask(() => {
        const isHeld = document.activeElement !== document.body
        if (!isHeld && last?.element.isConnected && !last.element.matches(':disabled')) last = null
      })
    }
    const look = () => {
      if (document.activeElement !== document.body || document.querySelector('dialog[open]')) return
      if (!last || last.element.matches(':disabled')) {
        // While an action runs its button is disabled, and comes back.
        if (!last || last.element.isConnected) return
      }
      // What was there is not taken away but left, as with the next page of a list: nothing here is near it.
      if (!last.element.isConnected && last.address !== location.hash)
        return main.focus({ preventScroll: true })
      const near = last.isAction ? null : nearestTo(last)
      const next = last.element.isConnected ? last.element : (near ?? titleIn(main))
      next.focus({ preventScroll: last.element.isConnected })
    }
    const observer = new MutationObserver(look)
    observer.observe(main, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    main.addEventListener('focusin', onFocus)
    main.addEventListener('focusout', onBlur)
    return () => {
      observer.disconnect()
      main.removeEventListener('focusin', onFocus)
      main.removeEventListener('focusout', onBlur)
    }
  }, [])
}

/**
 * Keeps the focus in a dialog, where what had it is taken away or hidden: it goes to what is there now in its place. Behind a
 * dialog nothing can be used.
 */
export function keepFocusIn(dialog: HTMLDialogElement): () => void {
  let last: Place | null = null
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) last = placeOf(target, 'dialog')
  }
  const look = () => {
    if (document.activeElement !== document.body || !dialog.open || !last) return
    if (isSeen(last.element) && !last.element.matches(':disabled')) return
    nearestTo(last)?.focus()
  }
  const observer = new MutationObserver(look)
  observer.observe(dialog, { childList: true, subtree: true, attributeFilter: ['hidden'] })
  dialog.addEventListener('focusin', onFocus)
  return () => {
    observer.disconnect()
    dialog.removeEventListener('focusin', onFocus)
  }
}

function nearestTo({ around }: Place): HTMLElement | null {
  for (const { box, at } of around) {
    if (!box.isConnected) continue
    const there = [...box.querySelectorAll<HTMLElement>(focusable)]
    const after = there.slice(Math.max(0, Math.min(at, there.length - 1)))
    const next = after.find(isSeen) ?? there.reverse().find(isSeen)
    if (next) return next
  }
  return null
}

const isSeen = (element: HTMLElement): boolean => element.getClientRects().length > 0

/** The title of the view, or the view where it has none yet. */
function titleIn(main: HTMLElement): HTMLElement {
  const title = main.querySelector<HTMLElement>('h1')
  if (!title) return main
  title.tabIndex = -1
  return title
}
