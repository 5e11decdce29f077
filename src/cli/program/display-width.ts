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

/** As much of a text as has room; an ellipsis stands for the rest. */
export function fittedTo(columns: number, text: string, measure: Measure): string {
  if (measure(text) <= columns) return text
  let [kept, width] = ['', 1]
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += measure(segment)
    if (width > columns) break
    kept += segment
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}
