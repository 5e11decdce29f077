import { jsonOf } from '../../collection/index.ts'

/**
 * What a terminal obeys instead of showing it: control characters, which could move the cursor or change the
 * title of the window, and marks that turn the direction of all that follows, so that it reads as something else.
 */
const obeyed = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** Text that somebody else may have written, made harmless for a terminal: such characters are shown by their number. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(obeyed, shownByNumber)
}

/** The same, in one line. */
export const oneLine = (text: string): string => printable(text.replaceAll(/\s*[\n\t]\s*/g, ' '))

/** JSON with the control characters escaped that JSON itself lets through. */
export const printableJson = (value: unknown): string =>
  jsonOf(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${hex(character).padStart(4, '0')}`,
  )

const shownByNumber = (character: string): string =>
  character.codePointAt(0)! > 0xff
    ? `\\u${hex(character)}`
    : `\\x${hex(character).padStart(2, '0')}`

const hex = (character: string): string => character.codePointAt(0)!.toString(16)
