/** What takes one column a character, and needs no table of widths. */
const plain = /^[\x20-\x7e✓…]*$/

/** How many columns of a terminal a text takes. */
export type Measure = (text: string) => number

/** Measures these texts, and parts of them. The table of widths is loaded only where one needs it. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every((text) => plain.test(text))) return ({ length }) => length
  const { default: stringWidth } = await import('string-width')
  return (text) => stringWidth(text)
}

export async function displayWidths(texts: readonly string[]): Promise<number[]> {
  return texts.map(await measureFor(texts))
}

/** The width of a column that these fit into. */
export const columnWidth = (widths: readonly number[]): number =>
  widths.reduce((most, width) => Math.max(most, width), 0)

/** What stands between two columns. */
export const gap = '  '

export const padTo = (columns: number, text: string, measure: Measure): string =>
  text + ' '.repeat(Math.max(0, columns - measure(text)))

/** Shares what is left of a line between two columns: the second gets a third, and what the first does not need. */
export function sharedRoom(
  rest: number,
  main: number,
  extra: number,
): { main: number; extra: number } {
  if (extra === 0) return { main: Math.min(main, rest), extra }
  const both = rest - gap.length
  const forMain = Math.min(main, Math.max(both - extra, Math.ceil((both * 2) / 3)))
  return { main: forMain, extra: both - forMain }
}

/** As much of a text as has room; an ellipsis stands for the rest. */
export function fittedTo(columns: number, text: string, measure: Measure): string {
  if (measure(text) <= columns) return text
  return columns < 1
    ? ''
    : `${firstOf(segmentsOf(text), columns - 1, measure)
        .join('')
        .trimEnd()}…`
}

/** Rows as they are for a program, and cut to its columns for a terminal. */
export async function fittedRows(
  rows: readonly string[],
  columns: number | null,
): Promise<readonly string[]> {
  if (columns === null) return rows
  const measure = await measureFor(rows)
  return rows.map((row) => fittedTo(columns, row, measure))
}

/** As much of the end of a text as has room: of a path it says most. */
export function endFittedTo(columns: number, text: string, measure: Measure): string {
  if (measure(text) <= columns) return text
  const kept = firstOf([...segmentsOf(text)].reverse(), columns - 1, measure)
  return columns < 1 ? '' : `…${kept.reverse().join('').trimStart()}`
}

function* segmentsOf(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment
}

/** As many of these as have room, one after the other. */
function firstOf(segments: Iterable<string>, columns: number, measure: Measure): string[] {
  const kept: string[] = []
  let width = 0
  for (const segment of segments) {
    width += measure(segment)
    if (width > columns) break
    kept.push(segment)
  }
  return kept
}
