/** What `If-Match` and `If-None-Match` name: all tags, or some. Weak ones are kept as they are, with their `W/`. */
export type TagList = '*' | readonly string[]

export function parseTagList(header: string): TagList {
  if (header.trim() === '*') return '*'
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Whether what a client has is what there is. For reading, weak tags are as good. */
export function isUnchanged(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = parseTagList(ifNoneMatch)
  return tags === '*' || tags.some((each) => each.replace(/^W\//, '') === tag)
}
