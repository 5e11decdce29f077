import { InvalidTaskError } from './error.ts'

/** The most bytes of UTF-8 that a text may have. */
export const textBytesMax = 65_536

const controls = /[^\P{Cc}\n\t]/u

/** A text as it is stored: trimmed, with plain line ends. Throws {@link InvalidTaskError}. */
export function checkText(given: string): string {
  if (typeof given !== 'string')
    throw new InvalidTaskError('The text is no string.', 'Give some words.')
  const text = given.replaceAll('\r\n', '\n').trim()
  if (text === '') throw new InvalidTaskError('The text is empty.', 'Say what there is to do.')
  const bytes = Buffer.byteLength(text)
  if (bytes > textBytesMax)
    throw new InvalidTaskError(
      `The text has ${bytes} bytes; the limit is 64 KiB (${textBytesMax} bytes).`,
      'Shorten it, or keep the long part in a file and name that.',
    )
  const control = controls.exec(text)
  if (control)
    throw new InvalidTaskError(
      `The text has the control character ${codeOf(control[0])}.`,
      'Only newlines and tabs are allowed; remove it.',
    )
  if (!text.isWellFormed())
    throw new InvalidTaskError(
      'The text has half a surrogate pair, which is no Unicode.',
      'Remove it.',
    )
  return text
}

export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
