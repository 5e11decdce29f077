import { printable } from '../../program/printable.ts'

/** As many blanks as a person still sees as a gap. */
const blanksMax = 8
const blanks = new RegExp(String.raw`[\p{Zs}\u2800]{${blanksMax + 1},}`, 'gu')

/**
 * A text of a file in one line, before a person trusts it. A line break in a command is as good as a semicolon, so it is
 * shown by its number; a long run of blanks, which could push the rest out of sight, by its length.
 */
export const shownText = (text: string): string =>
  printable(text).replace(blanks, (run) => ` (${run.length} blanks) `)

/** The lines of a file, without long runs of empty ones. */
export function shownLines(text: string): string[] {
  const lines: string[] = []
  let emptyLines = 0
  for (const line of text.split('\n').map(shownText)) {
    if (line.trim() === '') emptyLines++
    else {
      lines.push(...gap(emptyLines), line)
      emptyLines = 0
    }
  }
  return lines
}

const gap = (emptyLines: number): string[] =>
  emptyLines > blanksMax ? [`(${emptyLines} empty lines)`] : Array<string>(emptyLines).fill('')
