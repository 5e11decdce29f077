import { changed } from './change.ts'
import { checkPatch, type TaskPatch } from './checks.ts'
import { checkTags, withoutTags, withTags } from './tags.ts'
import type { Next } from './writes.ts'

/** What of a task may be changed at once: its fields and its tags. A tag in both lists is removed. */
export interface TaskEdit extends TaskPatch {
  /** Tags to put on it. */
  readonly add_tags?: readonly string[] | undefined
  /** Tags to take off it. */
  readonly remove_tags?: readonly string[] | undefined
}

/** All of an edit as one change; it is checked before anything is read. Throws {@link InvalidTaskError}. */
export function editing(given: TaskEdit): Next {
  const { add_tags = [], remove_tags = [], ...fields } = given ?? {}
  const patch = checkPatch(given && fields)
  const [added, removed] = [checkTags(add_tags), checkTags(remove_tags)]
  return (now, told) => {
    const tags = withTags(withoutTags(now.tags, removed), withoutTags(added, removed))
    return changed(now, { ...patch, tags }, told)
  }
}
