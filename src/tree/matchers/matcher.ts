import { isMap, type YAMLMap } from 'yaml'
import type { Matcher, Rule } from './choice.ts'
import {
  allTags,
  anyTags,
  bodyContains,
  type Condition,
  hasParent,
  notTags,
  priorityBetween,
  priorityIn,
  typeIn,
} from './conditions.ts'
import { type Field, type FieldReader, isNothing, shownText } from './fields.ts'

const matcherFields = ['name', 'grimoire', 'inherit', 'match']

const taskTypes = ['task', 'feature', 'bug', 'epic']

type ReadCondition = (field: Field, reader: FieldReader) => Condition | null

/** An empty list is no condition. */
const listed =
  <Item>(
    read: (reader: FieldReader, field: Field) => readonly Item[],
    make: (items: readonly Item[]) => Condition,
  ): ReadCondition =>
  (field, reader) => {
    const items = read(reader, field)
    return items.length === 0 ? null : make(items)
  }

/** The fields of `match`, in the order in which they are tried; `not_tags` has the last word. */
const conditions: Readonly<Record<string, ReadCondition>> = {
  any_tags: listed(
    (reader, field) => reader.globs(field),
    (globs) => anyTags('any_tags', globs),
  ),
  all_tags: listed((reader, field) => reader.globs(field), allTags),
  labels: listed(
    (reader, field) => {
      reader.report.warn(field.offset, 'labels is deprecated. Use any_tags.')
      return reader.globs(field)
    },
    (globs) => anyTags('labels', globs),
  ),
  priority: listed((reader, field) => reader.priorities(field), priorityIn),
  priority_range: readRange,
  type: listed(readTypes, typeIn),
  body_contains: listed((reader, field) => reader.texts(field), bodyContains),
  has_parent: (field, reader) => {
    const wanted = reader.boolean(field)
    return wanted === null ? null : hasParent(wanted)
  },
  not_tags: listed((reader, field) => reader.globs(field), notTags),
}

const matchFields = Object.keys(conditions)

function readRange(field: Field, reader: FieldReader): Condition | null {
  const limits = reader.priorities(field)
  const [min, max] = limits
  if (min === undefined || max === undefined || limits.length > 2)
    reader.report.error(field.offset, 'priority_range must be a list of two: [min, max].')
  else if (min > max) reader.report.error(field.offset, 'priority_range min must be <= max.')
  else return priorityBetween(min, max)
  return null
}

function readTypes(reader: FieldReader, field: Field): readonly string[] {
  const types = reader.texts(field)
  for (const type of types)
    if (!taskTypes.includes(type))
      reader.report.warn(
        field.offset,
        `No task has the type ${shownText(type)}. Types are ${taskTypes.join(', ')}.`,
      )
  return types
}

/** One item of the list; one that has an error in it is skipped, and says why. */
export function readMatcher(
  item: unknown,
  { offset, ordinal, reader }: { offset: number; ordinal: number; reader: FieldReader },
): Rule {
  let name = `matcher ${ordinal}`
  let made: Omit<Matcher, 'name'> | null = null
  const skipped = reader.report.errorIn(() => {
    if (!isMap(item)) {
      reader.report.error(offset, `${name} must be a map with name, grimoire and match.`)
      return
    }
    const isCondition = (field: string) => matchFields.includes(field)
    const fields = reader.fieldsOf(item, matcherFields, {
      of: 'a matcher',
      hint: (field) => (isCondition(field) ? 'It belongs under match' : null),
      isLost: isCondition,
    })
    const given = reader.text(fields.get('name'))
    if (given !== null) name = given
    else if (!fields.has('name'))
      reader.report.warn(offset, `A matcher has no name. It is called '${name}'.`)
    made = {
      grimoire: readGrimoire(fields, offset, reader),
      conditions: hasMatch(item, fields, offset, reader) ? readMatch(fields, reader) : [],
    }
  })
  if (skipped !== null || made === null) return { name, skipped: skipped ?? 'it can not be read' }
  return { name, ...(made as Omit<Matcher, 'name'>) }
}

/** Null where the matcher inherits, and where it says nothing, which is an error. */
function readGrimoire(
  fields: ReadonlyMap<string, Field>,
  offset: number,
  reader: FieldReader,
): string | null {
  const grimoire = fields.get('grimoire')
  const inherit = fields.get('inherit')
  const own = reader.text(grimoire)
  if (reader.boolean(inherit) !== true) {
    if (grimoire === undefined)
      reader.report.error(offset, 'matcher must specify grimoire or inherit.')
    return own
  }
  if (grimoire !== undefined)
    reader.report.warn(
      grimoire.offset,
      'A matcher with inherit takes the grimoire of the parent. Its own is ignored.',
    )
  // Without it the matcher is tried for tasks that can't inherit, which does no harm, but may be a slip.
  const match = fields.get('match')?.value
  if (!(isMap(match) && match.get('has_parent') === true))
    reader.report.warn(
      inherit?.offset ?? offset,
      'inherit matcher should include has_parent condition.',
    )
  return null
}

/** Whoever writes a field that is not known may have meant a condition by it, if no match tells what they mean. */
function hasMatch(
  { items }: YAMLMap,
  fields: ReadonlyMap<string, Field>,
  offset: number,
  { report }: FieldReader,
): boolean {
  const match = fields.get('match')
  if (match !== undefined && !isNothing(match.value)) return true
  const at = match?.offset ?? offset
  if (items.length > fields.size)
    report.error(at, 'A matcher with unknown fields needs a match, or it would match everything.')
  else report.warn(at, 'A matcher without match matches everything.')
  return false
}

function readMatch(fields: ReadonlyMap<string, Field>, reader: FieldReader): readonly Condition[] {
  const match = fields.get('match') as Field
  if (!isMap(match.value)) {
    reader.report.error(match.offset, 'match must be a map of conditions.')
    return []
  }
  const given = reader.fieldsOf(match.value, matchFields, {
    of: 'match',
    hint: (field) => (matcherFields.includes(field) ? 'It belongs beside match' : null),
  })
  const made = Object.entries(conditions).flatMap(([name, read]) => {
    const field = given.get(name)
    return (field && read(field, reader)) ?? []
  })
  // Whoever writes a condition does not mean every task.
  if (made.length === 0 && match.value.items.length > given.size)
    reader.report.error(match.offset, 'match has no condition that is known, only unknown fields.')
  return made
}
