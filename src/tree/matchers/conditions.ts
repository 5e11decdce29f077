import type { Glob } from './glob.ts'

/** What matchers look at, named as a task is stored. */
export interface RoutedTask {
  /** Its title. */
  readonly title: string
  /** Its text. */
  readonly body: string | null
  /** Its type. */
  readonly type: string
  /** 0, the most urgent, to 4. */
  readonly priority: number
  /** Its tags. */
  readonly tags: readonly string[]
  /** What decides before any matcher, if it is set. */
  readonly grimoire_hint: string | null
  /** The task it is a part of, if any. */
  readonly parent_id: string | null
}

/** A task as conditions see it. */
export interface Subject extends RoutedTask {
  /** In lower case; made once for all matchers, for it may be long. */
  readonly lowerBody: string
  /** What the parent was assigned at its last claim; null where it never was, or there is no parent. */
  readonly parentGrimoire: string | null
}

export interface Verdict {
  readonly matched: boolean
  readonly reason: string
}

/** One field of a matcher. */
export type Condition = (subject: Subject) => Verdict

export const subjectOf = (task: RoutedTask, parentGrimoire: string | null): Subject => ({
  ...task,
  lowerBody: (task.body ?? '').toLowerCase(),
  parentGrimoire: task.parent_id === null ? null : parentGrimoire,
})

const yes = (reason: string): Verdict => ({ matched: true, reason })
const no = (reason: string): Verdict => ({ matched: false, reason })

export const anyTags =
  (field: string, globs: readonly Glob[]): Condition =>
  ({ tags }) => {
    const hit = firstHit(globs, tags)
    return hit
      ? yes(hitText(field, hit))
      : no(`${field} ${listOf(patternsOf(globs))} matched no tag`)
  }

export const allTags =
  (globs: readonly Glob[]): Condition =>
  ({ tags }) => {
    const missing = globs.find((glob) => !tags.some((tag) => glob.matches(tag)))
    return missing
      ? no(`all_tags '${missing.pattern}' matched no tag`)
      : yes(`all_tags ${listOf(patternsOf(globs))} all matched`)
  }

export const notTags =
  (globs: readonly Glob[]): Condition =>
  ({ tags }) => {
    const hit = firstHit(globs, tags)
    return hit
      ? no(`excluded: ${hitText('not_tags', hit)}`)
      : yes(`not_tags ${listOf(patternsOf(globs))} matched no tag`)
  }

export const priorityIn =
  (allowed: readonly number[]): Condition =>
  ({ priority }) =>
    allowed.includes(priority)
      ? yes(`priority ${priority} in ${listOf(allowed)}`)
      : no(`priority ${priority} not in ${listOf(allowed)}`)

export const priorityBetween =
  (min: number, max: number): Condition =>
  ({ priority }) =>
    min <= priority && priority <= max
      ? yes(`priority ${priority} in the range ${min} to ${max}`)
      : no(`priority ${priority} not in the range ${min} to ${max}`)

export const typeIn =
  (allowed: readonly string[]): Condition =>
  ({ type }) =>
    allowed.includes(type)
      ? yes(`type '${type}' in ${listOf(allowed)}`)
      : no(`type '${type}' not in ${listOf(allowed)}`)

export function bodyContains(texts: readonly string[]): Condition {
  const lower = texts.map((text) => text.toLowerCase())
  return ({ lowerBody }) => {
    const index = lower.findIndex((text) => lowerBody.includes(text))
    return index >= 0
      ? yes(`body_contains '${texts[index]}' found`)
      : no(`body_contains ${listOf(texts)} not found`)
  }
}

export const hasParent =
  (wanted: boolean): Condition =>
  ({ parent_id }) => ({
    matched: (parent_id !== null) === wanted,
    reason: `has_parent ${wanted}, and the task has ${parent_id === null ? 'no' : 'a'} parent`,
  })

/** Not a field of `match`, but what `inherit: true` asks for as well. */
export const parentAssigned: Condition = ({ parent_id, parentGrimoire }) => {
  if (parent_id === null) return no('inherit: the task has no parent')
  return parentGrimoire === null
    ? no('inherit: the parent was assigned no grimoire')
    : yes(`inherit: the parent was assigned '${parentGrimoire}'`)
}

interface Hit {
  readonly pattern: string
  readonly tag: string
}

function firstHit(globs: readonly Glob[], tags: readonly string[]): Hit | null {
  for (const glob of globs) {
    const tag = tags.find((each) => glob.matches(each))
    if (tag !== undefined) return { pattern: glob.pattern, tag }
  }
  return null
}

const hitText = (field: string, { pattern, tag }: Hit): string =>
  `${field} matched '${pattern}' via tag '${tag}'`

const patternsOf = (globs: readonly Glob[]): string[] => globs.map(({ pattern }) => pattern)

const shownMax = 10

const listOf = (items: readonly (string | number)[]): string =>
  `[${items.slice(0, shownMax).join(', ')}${items.length > shownMax ? ', …' : ''}]`
