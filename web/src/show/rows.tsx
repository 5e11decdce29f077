import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Every row is as high as this, also in the style sheet: on a phone a row has two lines. */
const rowPxWide = 44
const rowPxNarrow = 64
const narrow = '(max-width: 48rem)'
const overscan = 6
/** What is drawn moves on by so many rows at a time, so that most scrolling draws nothing. */
const stepRows = 5
/** So many rows before its end the next page is asked for. */
const aheadRows = 60

interface RowsProps<T> {
  /** Of the table, for the style sheet. */
  readonly class?: string
  readonly label: string
  readonly head: ComponentChildren
  readonly items: readonly T[]
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly row: (item: T) => ComponentChildren
  readonly keyOf: (item: T) => string
}

/** A table of which only the rows in view exist, however many there are. Arrow keys go from row to row. */
export function Rows<T>({
  class: name,
  label,
  head,
  items,
  hasMore,
  onMore,
  row,
  keyOf,
}: RowsProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ first: 0, last: 30, rowPx: rowPxWide })
  const { rowPx } = view
  const first = Math.min(view.first, Math.max(0, items.length - 1))
  const last = Math.min(items.length, view.last)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setView((before) => seen(element, before))
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
      <table class={name} aria-rowcount={hasMore ? -1 : items.length + 1}>
        <thead>{head}</thead>
        <tbody>
          <Gap px={first * rowPx} />
          {items.slice(first, last).map((item, at) => (
            <tr key={keyOf(item)} aria-rowindex={first + at + 2}>
              {row(item)}
            </tr>
          ))}
          <Gap px={(items.length - last) * rowPx} />
        </tbody>
      </table>
    </section>
  )
}

interface View {
  readonly first: number
  readonly last: number
  readonly rowPx: number
}

/** The rows in view and some around them; the very same where that is what is drawn already. */
function seen({ scrollTop, clientHeight }: HTMLElement, before: View): View {
  const rowPx = matchMedia(narrow).matches ? rowPxNarrow : rowPxWide
  const at = Math.floor(scrollTop / rowPx / stepRows) * stepRows
  const first = Math.max(0, at - overscan)
  const last = at + Math.ceil(clientHeight / rowPx) + stepRows + overscan
  const isSame = first === before.first && last === before.last && rowPx === before.rowPx
  return isSame ? before : { first, last, rowPx }
}

const Gap = ({ px }: { px: number }) =>
  px > 0 ? (
    <tr class="gap" style={{ height: `${px}px` }}>
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
