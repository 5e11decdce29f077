import { byteLengthOf, encodeText, textIn } from '../store/internal.ts'

/** What a text that a person or an agent typed must be like. */
interface TextRule {
  /** What it is called in messages, such as "the text". */
  readonly noun: string
  /** One line, without tabs, of at most so many characters. */
  readonly titleCharactersMax?: number
  /** Or any lines, of at most so many bytes of UTF-8. */
  readonly bytesMax?: number
  readonly mayBeEmpty?: true
}

/** For one-line titles, and for longer texts, in all models. */
export const titleCharactersMax = 500
export const textBytesMax = 65_536

type Refuse = (what: string, next: string) => Error

/** The text as it is stored: trimmed, with plain line ends. Throws what `refuse` makes of the flaw. */
export function checkedText(given: unknown, rule: TextRule, refuse: Refuse): string {
  const noun = rule.noun.charAt(0).toUpperCase() + rule.noun.slice(1)
  if (typeof given !== 'string') throw refuse(`${noun} is no string.`, 'Give some words.')
  const text = given.replaceAll('\r\n', '\n').trim()
  if (text === '' && !rule.mayBeEmpty) throw refuse(`${noun} is empty.`, 'Give some words.')
  checkLength(text, noun, rule, refuse)
  const control = (rule.titleCharactersMax === undefined ? /[^\P{Cc}\n\t]/u : /\p{Cc}/u).exec(text)
  if (control) throw controlRefused(control[0], noun, rule, refuse)
  if (!text.isWellFormed())
    throw refuse(`${noun} has half a surrogate pair, which is no Unicode.`, 'Remove it.')
  return text
}

function checkLength(text: string, noun: string, rule: TextRule, refuse: Refuse): void {
  const { bytesMax = Number.POSITIVE_INFINITY, titleCharactersMax: charactersMax } = rule
  const bytes = byteLengthOf(text)
  if (bytes > bytesMax)
    throw refuse(
      `${noun} has ${bytes} bytes; the limit is ${bytesMax / 1024} KiB (${bytesMax} bytes).`,
      'Shorten it, or keep the long part in a file and name that.',
    )
  if (charactersMax === undefined || text.length <= charactersMax) return
  const characters = [...text].length
  if (characters > charactersMax)
    throw refuse(
      `${noun} has ${characters} characters; the limit is ${charactersMax}.`,
      'Shorten it.',
    )
}

function controlRefused(control: string, noun: string, rule: TextRule, refuse: Refuse): Error {
  const isTitle = rule.titleCharactersMax !== undefined
  if (isTitle && /[\n\t]/.test(control))
    return refuse(
      `${noun} has ${control === '\n' ? 'more than one line' : 'a tab in it'}.`,
      'Give one line, and put the rest into the description.',
    )
  const allowed = isTitle ? 'Remove it.' : 'Only newlines and tabs are allowed; remove it.'
  return refuse(`${noun} has the control character ${codeOf(control)}.`, allowed)
}

/** A character by its number, for messages. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`

const shownLengthMax = 80

/** What a caller gave as text; an object that has none, as one without a prototype, by its kind. */
export function textOf(given: unknown): string {
  try {
    return String(given)
  } catch {
    return Object.prototype.toString.call(given)
  }
}

/** The same as JSON, if it has any. */
export function jsonShown(given: unknown): string {
  try {
    return (JSON.stringify(given) ?? textOf(given)).slice(0, shownLengthMax)
  } catch {
    return shown(given)
  }
}

/** What a caller gave, short enough for a message. */
export function shown(given: unknown): string {
  const text = textOf(given)
  return JSON.stringify(text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text)
}

const errorBytesMax = 16_384

/** As much of a failure's words as is stored, and not cut through the midst of a character. */
export function cutError(text: string): string {
  const bytes = encodeText(text)
  if (bytes.byteLength <= errorBytesMax) return text
  let end = errorBytesMax
  while (((bytes[end] as number) & 0xc0) === 0x80) end--
  return textIn(bytes.subarray(0, end))
}
