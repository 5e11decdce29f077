import { printable } from '../program/printable.ts'

/** A text of at most so many characters; an ellipsis stands for the rest. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return text
  if (max === 0) return ''
  return `${text.slice(0, boundaryBefore(text, max - 1))}…`
}

let graphemes: Intl.Segmenter | undefined

/** The last place up to this one that is not inside of what a person sees as one character. */
function boundaryBefore(text: string, at: number): number {
  graphemes ??= new Intl.Segmenter()
  const start = text.slice(0, at + 2)
  return graphemes.segment(start).containing(at)?.index ?? at
}

/** The lines of a text below something else; control characters but tabs are made harmless. */
export function indented(text: string, indent: string): string[] {
  if (text === '') return []
  return text
    .split('\n')
    .map((line) => (indent + line.split('\t').map(printable).join('\t')).trimEnd())
}

/** Of a text with several lines the first, and an ellipsis. */
export function firstLine(text: string): string {
  const [first = '', ...more] = text.split('\n')
  return more.length > 0 ? `${first}…` : first
}
