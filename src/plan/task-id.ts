import { shown } from '../collection/index.ts'
import { hashOf } from './directory.ts'
import { InvalidPlanError } from './error.ts'

const idLengthMin = 6
const idLengthMax = 64

/** Titles and descriptions that differ only so far are the same. */
const normalized = (text: string): string => text.trim().toLowerCase().normalize('NFC')

/** The ids that a task may have, shortest first: the next one where another task has this one. */
export function* taskIds(task: { title: string; description: string }, sid: string) {
  const hash = hashOf(`${normalized(task.title)}|${normalized(task.description)}|${sid}`)
  for (let length = idLengthMin; length <= idLengthMax; length += 2) yield hash.slice(0, length)
}

type Worded = { readonly title: string; readonly description: string }

export const isSameTask = (a: Worded, b: Worded): boolean =>
  normalized(a.title) === normalized(b.title) &&
  normalized(a.description) === normalized(b.description)

/** The id of a task as it is stored. Throws {@link InvalidPlanError} for what is none. */
export function checkTaskId(given: string): string {
  const id = typeof given === 'string' ? given.trim().toLowerCase() : ''
  if (/^[0-9a-f]{6,64}$/.test(id)) return id
  throw new InvalidPlanError(
    `Not the id of a task: ${shown(given)}.`,
    "Ids are 6 hex digits or more; see them with 'np p'.",
  )
}
