import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { entryKey, leave, leftAt } from '../entry.ts'
import { isFocusFree, rowAfter } from './arrows.ts'

/** Every row is as high as this, also in the style sheet: on a phone a row has two lines. */
const rowPxWide = 44
const rowPxNarrow = 64
const narrow = '(max-width: 48rem)'
const overscan = 6
/** What is drawn moves on by so many rows at a time, so that most scrolling draws nothing. */
const stepRows = 5
/** So many rows before its end the next page is asked for. */
const aheadRows = 60

/** Where a row of a tree is, for screen readers; `isOpen` is null where there is nothing below it. */
interface Branch {
  readonly level: number
  readonly isOpen: boolean | null
  /** Its number among its siblings, from 1 on, and how many they are. */
  readonly at: number
  readonly of: number
}

interface RowsProps<T> {
  /** Of the table, for the style sheet. */
  readonly class?: string
  readonly label: string
  readonly head: ComponentChildren
  readonly items: readonly T[]
  readonly hasMore: boolean
  readonly onMore: () => void
  /** The cells of a row. Its first link leads to what the row shows, and takes the `tabIndex`. */
  readonly row: (item: T, tabIndex: 0 | -1) => ComponentChildren
  readonly keyOf: (item: T) => string
  /** Left out where the rows are no tree. */
  readonly branchOf?: (item: T) => Branch
  /** Opens or closes a row of a tree. */
  readonly onTurn?: (item: T) => void
}

/** A table of which only the rows in view exist, however many there are: one stop of the Tab key, and arrow keys within. */
export function Rows<T>(props: RowsProps<T>) {
  const { class: name, label, head, items, hasMore, onMore, row, keyOf, branchOf } = props
  const box = useRef<HTMLDivElement>(null)
  const view = useView(box, label)
  const { rowPx } = view
  const first = Math.min(view.first, Math.max(0, items.length - 1))
  const last = Math.min(items.length, view.last)
  const { stop, onKeyDown, onFocusIn } = useStop(box, props, { first, last, rowPx })
  useEffect(() => {
    if (hasMore && last + aheadRows >= items.length) onMore()
  }, [hasMore, last, items.length, onMore])
  return (
    <section class="rows" ref={box} aria-label={label}>
      <table
        class={name}
        role={branchOf ? 'treegrid' : 'grid'}
        aria-label={label}
        data-arrows
        aria-rowcount={hasMore ? -1 : items.length + 1}
        onKeyDown={onKeyDown}
        onFocusIn={onFocusIn}
      >
        <thead>{head}</thead>
        <tbody>
          {drawn(first, last, stop).map((at, n, all) => {
            const item = items[at]
            if (item === undefined) return null
            const before = (all[n - 1] ?? -1) + 1
            const isEnd = n === all.length - 1
            return (
              <Fragment key={keyOf(item)}>
                <Gap px={(at - before) * rowPx} />
                <tr
                  data-row={keyOf(item)}
                  data-at={at}
                  aria-rowindex={at + 2}
                  {...(branchOf ? branchProps(branchOf(item)) : {})}
                >
                  {row(item, at === stop ? 0 : -1)}
                </tr>
                {isEnd && <Gap px={(items.length - 1 - at) * rowPx} />}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

const branchProps = ({ level, isOpen, at, of }: Branch) => ({
  'aria-level': level + 1,
  'aria-posinset': at,
  'aria-setsize': of,
  ...(isOpen === null ? {} : { 'aria-expanded': isOpen }),
})

/** The rows in view, and the one that Tab comes to: what has the focus is not taken away by scrolling. */
function drawn(first: number, last: number, stop: number): number[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
  if (stop < first) return [stop, ...rows]
  return stop >= last ? [...rows, stop] : rows
}

interface View {
  readonly first: number
  readonly last: number
  readonly rowPx: number
}

/** What of the rows is in view; at first what was when the view was left. */
function useView(box: { readonly current: HTMLDivElement | null }, label: string): View {
  const [view, setView] = useState({ first: 0, last: 30, rowPx: rowPxWide })
  const [entry] = useState(entryKey)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const name = `scroll of ${label}`
    element.scrollTop = leftAt<number>(entry, name) ?? 0
    const look = () => setView((before) => seen(element, before))
    const onScroll = () => {
      leave(entry, name, element.scrollTop)
      look()
    }
    look()
    element.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', onScroll)
      observer.disconnect()
    }
  }, [])
  return view
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

/** The row that Tab comes to, and the keys that move from it. */
function useStop<T>(
  box: { readonly current: HTMLDivElement | null },
  { label, items, keyOf, branchOf, onTurn }: RowsProps<T>,
  { first, rowPx }: View,
) {
  const [entry] = useState(entryKey)
  const name = `row of ${label}`
  const [key, setKey] = useState(() => leftAt<string>(entry, name))
  // What was left is found again, where nobody has gone elsewhere meanwhile.
  const toFocus = useRef<string | undefined>(isFocusFree() ? key : undefined)
  const known = key === undefined ? -1 : items.findIndex((item) => keyOf(item) === key)
  const stop = known === -1 ? first : known
  useLayoutEffect(() => {
    if (toFocus.current === undefined) return
    const row = box.current?.querySelector(`[data-row="${CSS.escape(toFocus.current)}"]`)
    if (!row) return
    toFocus.current = undefined
    row.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
  })
  const choose = (chosen: string) => {
    leave(entry, name, chosen)
    setKey(chosen)
  }
  const goTo = (at: number) => {
    const item = items[at]
    if (item === undefined) return
    toFocus.current = keyOf(item)
    if (box.current) bringIntoView(box.current, at, rowPx)
    choose(keyOf(item))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rowOf(event)
    const item = at === null ? undefined : items[at]
    if (at === null || item === undefined) return
    const next = branchOf ? treeStep(event, at, { items, branchOf }) : null
    if (next === 'turn') onTurn?.(item)
    const to = typeof next === 'number' ? next : rowAfter(event, at, items.length)
    if (next === null && to === null) return
    event.preventDefault()
    if (next !== 'turn' && to !== null) goTo(to)
  }
  const onFocusIn = (event: FocusEvent) => {
    const at = rowOf(event)
    const item = at === null ? undefined : items[at]
    if (item !== undefined && keyOf(item) !== key) choose(keyOf(item))
  }
  return { stop, onKeyDown, onFocusIn }
}

function rowOf({ target }: Event): number | null {
  const row = (target as Element).closest<HTMLElement>('[data-at]')
  return row === null ? null : Number(row.dataset['at'])
}

/** In a tree, right opens a row or goes to the first one below it, and left closes it or goes to the one above it. */
function treeStep<T>(
  event: KeyboardEvent,
  at: number,
  { items, branchOf }: { items: readonly T[]; branchOf: (item: T) => Branch },
): number | 'turn' | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null
  const { level, isOpen } = branchOf(items[at] as T)
  if (event.key === 'ArrowRight') return isOpen === null ? null : isOpen ? at + 1 : 'turn'
  if (event.key !== 'ArrowLeft') return null
  if (isOpen) return 'turn'
  let above = at - 1
  while (above >= 0 && branchOf(items[above] as T).level >= level) above--
  return above < 0 ? null : above
}

/** The head of the table covers the first row in view. */
function bringIntoView(box: HTMLElement, at: number, rowPx: number): void {
  const headPx = box.querySelector('thead')?.offsetHeight ?? 0
  const top = at * rowPx
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowPx + headPx > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowPx + headPx - box.clientHeight
}

const Gap = ({ px }: { px: number }) =>
  px > 0 ? (
    <tr class="gap" style={{ height: `${px}px` }}>
      <td />
    </tr>
  ) : null
