/** What takes one column a character, and needs no table of widths. */
const plain = /^[\x20-\x7e✓…]*$/

/** How many columns of a terminal each text takes. The table of widths is loaded only where one needs it. */
export async function displayWidths(texts: readonly string[]): Promise<number[]> {
  if (texts.every((text) => plain.test(text))) return texts.map(({ length }) => length)
  const { default: stringWidth } = await import('string-width')
  return texts.map((text) => stringWidth(text))
}

/** The width of a column that these fit into. */
export const columnWidth = (widths: readonly number[]): number =>
  widths.reduce((most, width) => Math.max(most, width), 0)
