import { taskFields as jobFields } from '../../src/jobs/fields.ts'
import { taskFields as listFields } from '../../src/list/fields.ts'
import {
  eventFields,
  goalFields,
  taskFields as planTaskFields,
  sessionFields,
} from '../../src/plan/fields.ts'
import { taskFields as queueFields } from '../../src/queue/fields.ts'
import type { Field, Fields, SetBy } from '../../src/schema/index.ts'
import { taskFields as treeFields } from '../../src/tree/fields.ts'

interface Part {
  readonly title: string
  readonly about: string
  readonly fields: Fields
}

const parts: readonly Part[] = [
  { title: 'A task of the list', about: 'See [list](list.md).', fields: listFields },
  { title: 'A session of a plan', about: 'See [plan](plan.md).', fields: sessionFields },
  { title: 'The goal of a plan', about: 'A session has one goal.', fields: goalFields },
  { title: 'A task of a plan', about: 'In the order of `created_seq`.', fields: planTaskFields },
  {
    title: 'An event of a plan',
    about: 'Every change of a plan is an event of its log.',
    fields: eventFields,
  },
  {
    title: 'A job',
    about:
      'See [jobs](jobs.md). The library has times as `Date` and contents as bytes; HTTP has the names in snake_case.',
    fields: jobFields,
  },
  { title: 'A task of the tree', about: 'See [tree](tree.md).', fields: treeFields },
  { title: 'A task of the queue', about: 'See [queue](queue.md).', fields: queueFields },
]

const setBy: Readonly<Record<SetBy, string>> = {
  creator: 'when created',
  editor: 'at any time',
  model: '',
}

function typeOf({ kind: { schema } }: Field<unknown>): string {
  const types = [schema.type ?? 'any'].flat()
  const values = schema['enum'] as readonly unknown[] | undefined
  if (values && values.length <= 8) return values.map((value) => `\`${String(value)}\``).join(', ')
  const [type] = types
  const named = schema['format'] === 'date-time' ? 'time' : type
  return types.includes('null') ? `${named} or null` : String(named)
}

const absentOf = ({ absent, absentAs }: Field<unknown>): string => {
  if (absentAs !== undefined) return `that of \`${absentAs}\``
  return absent === undefined ? '' : `\`${JSON.stringify(absent)}\``
}

const row = ([name, field]: [string, Field<unknown>]): string =>
  `| \`${name}\` | ${typeOf(field)} | ${field.about} | ${setBy[field.setBy]} | ${absentOf(field)} |`

/** The page docs/fields.md: what the field tables of the models say. */
export const fieldsPage = (): string => `# The fields of all documents

What each model stores and shows, over HTTP, in \`--json\` and in the library alike. Times are RFC 3339 in UTC. *You set it*
says whether you may choose the value, and when. *If missing* is what a document written by another program has where it
leaves the field out.

${parts
  .map(
    ({ title, about, fields }) =>
      `## ${title}\n\n${about}\n\n| Field | Type | Meaning | You set it | If missing |\n|---|---|---|---|---|\n${Object.entries(fields).map(row).join('\n')}`,
  )
  .join('\n\n')}
`
