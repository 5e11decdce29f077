import { type Condition, checkedFields, type RepairOptions, shown } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'
import { idLength } from './id.ts'
import { checkTags } from './tags.ts'
import { isList, type TagEdit, type TaskEdit, type TaskFilter } from './task.ts'
import { checkText } from './text.ts'

/** All of it throws {@link InvalidTaskError}. */
const checkFields = <T>(given: T, noun: string, known: readonly string[]): T =>
  checkedFields(given, { noun, known }, (what, next) => new InvalidTaskError(what, next))

export function checkEdit(given: TaskEdit): TaskEdit {
  const { text, done, tags } = checkFields(given, 'The change', ['text', 'done', 'tags'])
  return {
    text: text === undefined ? undefined : checkText(text),
    done: checkDone(done),
    tags: tags === undefined ? undefined : checkTagChange(tags),
  }
}

function checkTagChange(tags: readonly string[] | TagEdit): readonly string[] | TagEdit {
  if (typeof tags !== 'object' || tags === null || isList(tags)) return checkTags(tags)
  const { add = [], remove = [] } = checkFields(tags, 'The change of tags', ['add', 'remove'])
  return { add: checkTags(add), remove: checkTags(remove) }
}

function checkDone(done: boolean | undefined): boolean | undefined {
  if (done !== undefined && typeof done !== 'boolean')
    throw new InvalidTaskError('done is neither true nor false.', 'Give one of the two.')
  return done
}

/** Which tasks to give, and how many. */
export function checkQuery<Q extends TaskFilter & { readonly limit?: number | undefined }>(
  given: Q,
) {
  const known = ['any', 'all', 'done', 'limit']
  const { any = [], all = [], done, limit } = checkFields(given, 'The query', known)
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
    throw new InvalidTaskError(
      `A limit of ${shown(limit)} is not possible.`,
      'Give a number from 1 on.',
    )
  return { filter: { any: checkTags(any), all: checkTags(all), done: checkDone(done) }, limit }
}

export function checkCondition(given: Condition): Condition {
  const { state } = checkFields(given, 'The condition', ['state'])
  if (state === undefined || typeof state === 'string') return given
  throw new InvalidTaskError('The state is no string.', 'Give what stateOf() answers.')
}

/** The starts of ids, of so many digits. */
export function checkStarts(ids: readonly string[], digits: number): string[] {
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string'))
    throw new InvalidTaskError('The ids are no list of strings.', 'Give a list of ids.')
  if (!Number.isInteger(digits) || digits < 1 || digits > idLength)
    throw new InvalidTaskError(
      `Ids don't have ${shown(digits)} digits.`,
      `Give a number from 1 to ${idLength}.`,
    )
  return [...new Set(ids.map((id) => id.slice(0, digits)))]
}

export const checkRepair = (given: RepairOptions): RepairOptions =>
  checkFields(given, 'The options', ['dryRun', 'graceMs'])
