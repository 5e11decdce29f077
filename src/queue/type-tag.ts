/*
 * The type of a task, told by its id. An id that is made here ends in four digits that stand for the type and five that
 * vouch for them, so who lists the keys of an index passes over other types without reading a single task. Ids that
 * callers choose, that other tools or earlier releases made, have no tag: then only the task tells its type.
 *
 * An index of all tasks by type would cost two more writes per task, and two or three more requests on S3.
 */

const tagDigits = 4
const checkDigits = 5
/** How many random digits are left of the last group, and where that and the one before it stand in an id. */
export const freeDigits = 12 - tagDigits - checkDigits
const versionAt = 14
const variantAt = 19
const tagAt = 27
const checkAt = tagAt + tagDigits

/** FNV-1a, 32 bits, of a part of a text. */
function hashOf(text: string, from = 0, to = text.length): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0')

let [lastType, lastTag] = ['', '']

/** Two types in 65,536 have the same: then a task is read before it is passed over. */
export function tagOf(type: string): string {
  if (type !== lastType) [lastType, lastTag] = [type, hex(hashOf(type) & 0xffff, tagDigits)]
  return lastTag
}

const checkOf = (hash: number): string => hex(hash & 0xfffff, checkDigits)

/** The last two groups of an id: one that begins with the variant, and one of which the first digits are given. */
export function taggedEnd(variantGroup: string, free: string, type: string): string {
  const end = `${variantGroup}-${free}${tagOf(type)}`
  return end + checkOf(hashOf(end))
}

/** Null for an id that was not made here. */
export function tagIn(id: string): string | null {
  if (id.charAt(versionAt) !== '8') return null
  if (!id.endsWith(checkOf(hashOf(id, variantAt, checkAt)))) return null
  return id.slice(tagAt, checkAt)
}
