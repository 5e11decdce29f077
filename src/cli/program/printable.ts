/**
 * Text that somebody else may have written, made harmless for a terminal: control characters, which could
 * move the cursor or change the title of the window, are shown by their number.
 */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, shownByNumber)
}

/** The same, in one line. */
export const oneLine = (text: string): string => printable(text.replaceAll(/\s*[\n\t]\s*/g, ' '))

/** JSON with the control characters escaped that JSON itself lets through. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${hex(character).padStart(4, '0')}`,
  )

const shownByNumber = (character: string): string =>
  character.codePointAt(0)! > 0xff
    ? `\\u${hex(character)}`
    : `\\x${hex(character).padStart(2, '0')}`

const hex = (character: string): string => character.codePointAt(0)!.toString(16)
