import { useLayoutEffect, useRef } from 'preact/hooks'

const pathNow = (): string => location.hash.split('?', 1)[0] ?? ''

/** Whether the view is still shown. An answer that comes after it was left must not bring anyone back to it. */
export function useIsHere(): { readonly current: boolean } {
  const isMounted = useRef(true)
  const path = useRef('')
  path.current = pathNow()
  // Not `useEffect`, which runs after the next frame: a view that was left before then would never hear of it.
  useLayoutEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return useRef({
    // The address changes some time before the view does.
    get current() {
      return isMounted.current && path.current === pathNow()
    },
  }).current
}
