import { jsonOf } from '../collection/index.ts'

/**
 * What a terminal obeys or swallows instead of showing it: control characters, which move the cursor or set the title of
 * the window; marks that turn the direction of what follows; line separators; and all that is invisible, such as tag
 * characters, by which a text tells a program something else than it tells a person.
 */
const unseen = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}]`

/**
 * Invisible characters that languages and emoji can't be written without. They stay where they do that work, one at a
 * time: between Latin letters, or in a row, they would only hide something.
 */
const needed = [
  // Joiners and variants after letters whose form they choose, from Arabic to Mongolian: Persian and Hindi need them.
  String.raw`(?<=[\u0600-\u10ff\u1780-\u18af\u1900-\u1aff\ua800-\uabff])(?<!\p{Default_Ignorable_Code_Point})[\u200c\u200d\u180b-\u180d\u180f]`,
  // Between the people of a family, and after a symbol that is to be drawn as text or as an emoji.
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[#*\d])\ufe0f(?=\u20e3)`,
]

const pattern = new RegExp(`${needed.join('|')}|(${unseen})`, 'gu')

/** Most texts have nothing to look for. */
const harmless = /^[\x20-\x7e\n]*$/

type Show = (character: string) => string

const replaced = (text: string, show: Show): string =>
  text.replaceAll(pattern, (found, character?: string) =>
    character === undefined ? found : show(character),
  )

/** Text that somebody else may have written, made harmless for a terminal: such characters are shown by their number. */
export const printable = (text: string): string => replaced(text.toWellFormed(), shownByNumber)

/** The same, of text that may have several lines, and columns. */
export const printableLines = (text: string): string =>
  harmless.test(text)
    ? text
    : replaced(text.toWellFormed(), (character) =>
        character === '\n' || character === '\t' ? character : shownByNumber(character),
      )

/** The same, in one line. */
export const oneLine = (text: string): string => printable(joinedLines(text))

/**
 * A text in one line, otherwise unchanged. A pattern for line breaks and the blanks around them would take quadratic time
 * for a text that is nothing but blanks.
 */
export function joinedLines(text: string): string {
  const lines = text.split(/[\n\t]/)
  if (lines.length === 1) return text
  const between = lines.slice(1, -1).map((line) => line.trim())
  const [first = '', last = ''] = [lines[0]?.trimEnd(), lines.at(-1)?.trimStart()]
  return [first, ...between.filter((line) => line !== ''), last].join(' ')
}

/** JSON with the same characters escaped, most of which JSON itself lets through. It means the same. */
export const printableJson = (value: unknown): string => replaced(jsonOf(value), escapedForJson)

function shownByNumber(character: string): string {
  const number = character.codePointAt(0) as number
  const digits = number.toString(16)
  if (number <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return number <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

function escapedForJson(character: string): string {
  let escaped = ''
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  return escaped
}
