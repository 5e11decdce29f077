import { codeOf } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'

const tagCharactersMax = 64
const tagBytesMax = 200
/** How many a task may have: they are written together with it. */
const tagsMax = 200

/** Tags as they are stored: trimmed, each once, in the order in which they were given. */
export function checkTags(given: unknown): string[] {
  if (!Array.isArray(given)) throw invalid('The tags are no list.', 'Give a list of words.')
  const tags = [...new Set(given.map(checkTag))]
  if (tags.length > tagsMax) throw tooMany(tags.length)
  return tags
}

function checkTag(given: unknown): string {
  if (typeof given !== 'string') throw invalid('A tag is no string.', 'Give a word.')
  const tag = given.trim()
  const shown = JSON.stringify(tag.slice(0, tagCharactersMax))
  if (tag === '') throw invalid('A tag is empty.', 'Give a word, or leave the tag out.')
  if (tag.includes(',')) throw invalid(`The tag ${shown} has a comma in it.`, 'Use a hyphen.')
  const control = /\p{Cc}/u.exec(tag)
  if (control)
    throw invalid(`The tag ${shown} has the control character ${codeOf(control[0])}.`, 'Remove it.')
  if (!tag.isWellFormed())
    throw invalid(`The tag ${shown} has half a surrogate pair, which is no Unicode.`, 'Remove it.')
  if ([...tag].length > tagCharactersMax || Buffer.byteLength(tag) > tagBytesMax)
    throw invalid(
      `The tag ${shown}… is too long.`,
      `The limit is ${tagCharactersMax} characters and ${tagBytesMax} bytes.`,
    )
  return tag
}

/** These and those, each once. */
export function withTags(tags: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...new Set([...tags, ...more])]
  if (all.length > tagsMax) throw tooMany(all.length)
  return all
}

export const withoutTags = (tags: readonly string[], fewer: readonly string[]): string[] =>
  tags.filter((tag) => !fewer.includes(tag))

const tooMany = (count: number): InvalidTaskError =>
  invalid(`A task can't have ${count} tags.`, `The limit is ${tagsMax}.`)

const invalid = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError('INVALID_TAG', what, next)
