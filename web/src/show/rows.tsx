import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Every row is as high as this, also in the style sheet. */
const rowPx = 44
const overscan = 8
/** So many rows before its end the next page is asked for. */
const aheadRows = 20

interface RowsProps<T> {
  readonly label: string
  readonly head: ComponentChildren
  readonly items: readonly T[]
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly row: (item: T) => ComponentChildren
  readonly keyOf: (item: T) => string
}

/** A table of which only the rows in view exist, however many there are. Arrow keys go from row to row. */
export function Rows<T>({ label, head, items, hasMore, onMore, row, keyOf }: RowsProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const first = Math.max(0, Math.floor(view.top / rowPx) - overscan)
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowPx) + overscan)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    look()
    element.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [])
  useEffect(() => {
    if (hasMore && last + aheadRows >= items.length) onMore()
  }, [hasMore, last, items.length, onMore])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="rows" ref={box} tabIndex={0} aria-label={label} onKeyDown={walk}>
      <table aria-rowcount={hasMore ? -1 : items.length + 1}>
        <thead>{head}</thead>
        <tbody>
          <Gap rows={first} />
          {items.slice(first, last).map((item, at) => (
            <tr key={keyOf(item)} aria-rowindex={first + at + 2}>
              {row(item)}
            </tr>
          ))}
          <Gap rows={items.length - last} />
        </tbody>
      </table>
    </section>
  )
}

const Gap = ({ rows }: { rows: number }) =>
  rows > 0 ? (
    <tr class="gap" style={{ height: `${rows * rowPx}px` }}>
      <td />
    </tr>
  ) : null

function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody a')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + step]
  if (at === -1 || !next) return
  event.preventDefault()
  next.focus()
}
