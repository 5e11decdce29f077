import { useEffect, useRef } from 'preact/hooks'

/** Whether the view is still shown: what is answered after that must not bring anybody back to it. */
export function useIsHere(): { readonly current: boolean } {
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return isHere
}
