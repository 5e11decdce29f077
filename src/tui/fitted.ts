import stringWidth from 'string-width'

/*
 * Texts are cut here, before Ink gets them: where a character of two columns meets the last one, Ink cuts behind it, and then
 * its ellipsis is what has no room.
 */

/** As much of a text as so many columns have room for; an ellipsis stands for the rest. */
export function fitted(text: string, columns: number): string {
  return startOf(text, columns).text === text ? text : cut(text, columns)
}

/** As much of the end of a text as has room: of a path it says most. */
export function fittedEnd(text: string, columns: number): string {
  if (startOf(text, columns).text === text) return text
  if (columns < 1) return ''
  const kept: string[] = []
  let room = columns - 1
  for (const { segment } of [...segmenter.segment(text)].reverse()) {
    room -= widthOf(segment)
    if (room < 0) break
    kept.unshift(segment)
  }
  return `…${kept.join('').trimStart()}`
}

/** The start of a text that has no room, with an ellipsis. */
export const cut = (text: string, columns: number): string =>
  columns < 1 ? '' : ended(startOf(text, columns - 1).text)

const ended = (text: string): string => `${text.trimEnd()}…`

/** Texts that stand one behind the other in a line. The first that has no room ends it, with an ellipsis. */
export function fittedParts<P extends { readonly text: string }>(
  parts: readonly P[],
  columns: number,
): readonly P[] {
  if (isFitting(parts, columns)) return parts
  const kept: P[] = []
  let room = columns - 1
  for (const part of parts) {
    const { text, width } = startOf(part.text, room)
    if (text !== part.text) return room < 0 ? [] : [...kept, { ...part, text: ended(text) }]
    kept.push(part)
    room -= width
  }
  return kept
}

function isFitting(parts: readonly { readonly text: string }[], columns: number): boolean {
  let room = columns
  return parts.every((part) => {
    const { text, width } = startOf(part.text, room)
    room -= width
    return text === part.text
  })
}

/** As much of the start of a text as has room, and its width. Of a long text only that is looked at. */
export function startOf(text: string, columns: number): { text: string; width: number } {
  let [length, width] = [0, 0]
  for (const { segment } of segmenter.segment(text)) {
    const next = width + widthOf(segment)
    if (next > columns) break
    width = next
    length += segment.length
  }
  return { text: text.slice(0, length), width }
}

const segmenter = new Intl.Segmenter()

/** Ink gives a column also to what has no width, such as a joiner without anything to join. */
const widthOf = (segment: string): number => Math.max(1, stringWidth(segment))
