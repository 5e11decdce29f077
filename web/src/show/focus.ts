import { useEffect } from 'preact/hooks'

/** What can have the focus, also where Tab passes over it. */
export const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]'

/** Further out than this nothing is near any more: then the title of the view gets the focus. */
const surroundings = 'section, article, header, main'

/** Where an element is, for when it is gone: what is around it, and which of the controls in there it is. */
interface Place {
  readonly element: HTMLElement
  readonly around: readonly { readonly box: Element; readonly at: number }[]
}

function placeOf(element: HTMLElement): Place {
  const around: { box: Element; at: number }[] = []
  for (let box = element.parentElement; box; box = box.parentElement) {
    around.push({ box, at: [...box.querySelectorAll(focusable)].indexOf(element) })
    if (box.matches(surroundings)) break
  }
  return { element, around }
}

/**
 * Keeps the focus on the page: where what had it is taken away or disabled, as after an action, it goes to what is there
 * now in its place, or to the title of the view. Whoever clicks elsewhere gives it up.
 */
export function useFocusKept(): void {
  useEffect(() => {
    const main = document.getElementById('main')
    if (!main) return
    let last: Place | null = null
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target.closest('dialog')) return
      last = target === main ? null : placeOf(target)
    }
    const onBlur = () =>
      queueMicrotask(() => {
        const isHeld = document.activeElement !== document.body
        if (!isHeld && last?.element.isConnected && !last.element.matches(':disabled')) last = null
      })
    const look = () => {
      if (document.activeElement !== document.body || document.querySelector('dialog[open]')) return
      if (!last || last.element.matches(':disabled')) {
        // While an action runs its button is disabled, and comes back.
        if (!last || last.element.isConnected) return
      }
      const next = last.element.isConnected ? last.element : (nearestTo(last) ?? titleIn(main))
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

function nearestTo({ around }: Place): HTMLElement | null {
  for (const { box, at } of around) {
    if (!box.isConnected) continue
    const there = [...box.querySelectorAll<HTMLElement>(focusable)]
    const next = there[Math.min(at, there.length - 1)]
    if (next) return next
  }
  return null
}

/** The title of the view, or the view where it has none yet. */
export function titleIn(main: HTMLElement): HTMLElement {
  const title = main.querySelector<HTMLElement>('h1')
  if (!title) return main
  title.tabIndex = -1
  return title
}
