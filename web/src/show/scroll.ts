import { useLayoutEffect } from 'preact/hooks'
import { leave, leftAt } from '../entry.ts'

const name = 'scroll'
/** What a person does who wants to be elsewhere. */
const ownWill = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Begins a new view at its top, and brings whoever goes back to where they were. What the view shows comes later than the
 * view, so the page must first be long enough again.
 */
export function useScroll(entry: string): void {
  useLayoutEffect(() => {
    history.scrollRestoration = 'manual'
    const wanted = leftAt<number>(entry, name) ?? 0
    let isSettled = false
    const settle = () => {
      isSettled = true
      observer.disconnect()
    }
    const restore = () => {
      scrollTo(0, wanted)
      if (Math.abs(scrollY - wanted) < 2) settle()
    }
    const observer = new ResizeObserver(restore)
    observer.observe(document.body)
    restore()
    const onScroll = () => {
      if (isSettled) leave(entry, name, scrollY)
    }
    addEventListener('scroll', onScroll, { passive: true })
    for (const event of ownWill) addEventListener(event, settle, { passive: true })
    return () => {
      observer.disconnect()
      removeEventListener('scroll', onScroll)
      for (const event of ownWill) removeEventListener(event, settle)
    }
  }, [entry])
}
