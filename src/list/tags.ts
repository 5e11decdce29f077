import { codeOf } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'

export const tagCharactersMax = 64
export const tagBytesMax = 200
/** How many a task may have: they are written together with it. */
const tagsMax = 200

export const normalizedTag = (given: string): string => given.trim().toLowerCase().normalize('NFC')

/** A tag as it is stored: trimmed, in lower case, as NFC. Throws {@link InvalidTaskError}. */
export function checkTag(given: string): string {
  if (typeof given !== 'string') throw invalid('A tag is no string', 'Give a word.')
  const tag = normalizedTag(given)
  const shown = JSON.stringify(tag.slice(0, tagCharactersMax))
  if (tag === '') throw invalid('A tag is empty', 'Give a word, or leave the tag out.')
  if (!tag.isWellFormed())
    throw invalid('A tag has half a surrogate pair, which is no Unicode', 'Remove it.')
  const control = /\p{Cc}/u.exec(given.trim())
  if (control)
    throw invalid(`The tag ${shown} has the control character ${codeOf(control[0])}`, 'Remove it.')
  if (!/[^\p{Cf}\p{M}\s]/u.test(tag))
    throw invalid(`The tag ${shown} can't be seen`, 'Give a word.')
  if (/[\s,]/u.test(tag))
    throw invalid(`The tag ${shown} has a comma or white space in it`, 'Use a hyphen instead.')
  if (/^[+-]/.test(tag)) throw invalid(`The tag ${shown} starts with ${tag[0]}`, 'Leave that out.')
  const [characters, bytes] = [[...tag].length, Buffer.byteLength(tag)]
  if (characters > tagCharactersMax || bytes > tagBytesMax)
    throw invalid(
      `The tag ${shown}… has ${characters} characters and ${bytes} bytes`,
      `The limit is ${tagCharactersMax} characters and ${tagBytesMax} bytes.`,
    )
  return tag
}

/** Tags as they are stored: each once, in the order in which they were given. */
export function checkTags(given: readonly string[]): string[] {
  if (!Array.isArray(given)) throw invalid('The tags are no list', 'Give a list of words.')
  const tags = [...new Set(given.map(checkTag))]
  if (tags.length > tagsMax)
    throw invalid(`A task can't have ${tags.length} tags`, `The limit is ${tagsMax}.`)
  return tags
}

/** The tags of a text such as "errand,shopping". */
export const parseTags = (text: string): string[] => checkTags(text.split(','))

const invalid = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError(`${what}.`, next)
