import { kitError } from './error.ts'
import type { Call, Fields } from './route.ts'

/** What `If-Match` and `If-None-Match` name: all tags, or some. Weak ones are kept as they are, with their `W/`. */
type TagList = '*' | readonly string[]

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

/** For routes that change something which has a state. */
export const ifMatchState: Fields = {
  'If-Match': {
    schema: { type: 'string', description: 'Change it only if this still is its ETag.' },
  },
}

/** The header of answers that have a state, as it is described. */
export const stateHeader = { ETag: 'Its state, for If-Match.' } as const

/** The header that tells a state; `more` of what a client reads may follow that changes do not go by. */
export const tagged = (state: string, more?: number): { readonly ETag: string } => ({
  ETag: more === undefined ? `"${state}"` : `"${state}-${more}"`,
})

/** The state that a change is meant for: what an ETag begins with. What follows is not of it. */
export function conditionOf({ headers }: Call): { state?: string } {
  const wanted = headers['if-match']
  if (wanted === undefined) return {}
  const tags = parseTagList(wanted)
  if (tags === '*') return {}
  const states = tags.flatMap((tag) => /^"([0-9a-f]{16})(?:-\d+)?"$/.exec(tag)?.[1] ?? [])
  const [state] = states
  if (state !== undefined && states.length === 1) return { state }
  throw kitError(
    'PRECONDITION_FAILED',
    'If-Match names no state. Give one ETag, as GET shows it, or *.',
  )
}
