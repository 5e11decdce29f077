import { changing, rareFields, taskFields } from '../../src/queue/fields.ts'
import type { Field } from '../../src/schema/index.ts'

const fields: readonly (readonly [string, Field<unknown>])[] = Object.entries(taskFields)
const named = (name: string): Field<unknown> =>
  (fields.find(([each]) => each === name) as (typeof fields)[number])[1]
const isRare = (name: string): boolean => (rareFields as readonly string[]).includes(name)
const capital = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const typesOf = ({ kind }: Field<unknown>): readonly unknown[] => [kind.schema.type].flat()
const isNullable = (each: Field<unknown>): boolean => typesOf(each).includes('null')

/** How a value is written into a template. */
function jsonOf(name: string, each: Field<unknown>): string {
  const value = `task.${name}`
  const [type] = typesOf(each)
  if (each.kind.json) return `\${jsonOf${capital(name)}(${value})}`
  if (type === undefined) return `\${json(${value})}`
  if (type !== 'string') return `\${${value}}`
  if (!each.kind.isPlain) return `\${text(${value})}`
  return isNullable(each) ? `\${plain(${value})}` : `"\${${value}}"`
}

const membersOf = (names: readonly string[]): string =>
  names.map((name) => `"${name}":${jsonOf(name, named(name))}`).join(',')

/** What a field is where a document does not have it. */
function absentOf(name: string, { absent, absentAs }: Field<unknown>): string {
  if (absentAs !== undefined) return absentAs
  if (absent === undefined) return ''
  return typeof absent === 'object' && absent !== null
    ? `taskFields.${name}.absent`
    : JSON.stringify(absent)
}

function readOf(name: string, each: Field<unknown>): string {
  if (name === 'id') return 'id'
  if (name === 'shard') return 'shard: id.charAt(0)'
  if (typesOf(each)[0] === undefined)
    return `${name}: (given['${name}'] ?? null) as Task['${name}']`
  if (name === 'created_at') return name
  const absent = absentOf(name, each)
  return `${name}: read('${name}', given['${name}'], is${capital(name)}${absent === '' ? '' : `, ${absent}`})`
}

const isGiven = (name: string, { setBy }: Field<unknown>): boolean =>
  setBy === 'creator' || name === 'created_at' || name === 'input_ref'

function newOf(name: string, each: Field<unknown>): string {
  if (name === 'shard') return 'shard: given.id.charAt(0)'
  if (name === 'status') return "status: 'pending'"
  if (isGiven(name, each)) return `${name}: given.${name}`
  const { absentAs } = each
  return `${name}: ${absentAs === undefined ? absentOf(name, each) : `given.${absentAs}`}`
}

const differenceOf = (name: string, nth: number): string => {
  const isOther =
    name === 'output' ? '!isSameOutput(a.output, b.output)' : `a.${name} !== b.${name}`
  return `  if (${isOther}) found.push(${nth}, a.${name})`
}

const lines = (names: readonly string[], of: (name: string, each: Field<unknown>) => string) =>
  names.map((name) => `    ${of(name, named(name))},`).join('\n')

const names = fields.map(([name]) => name)
const usual = names.filter((name) => !isRare(name))
const isRead = (name: string): boolean =>
  !['id', 'shard'].includes(name) && typesOf(named(name))[0] !== undefined

const encoder = (): string => `${fields
  .filter(([, { kind }]) => kind.json)
  .map(
    ([name]) =>
      `const jsonOf${capital(name)} = taskFields.${name}.kind.json as (value: Task['${name}']) => string`,
  )
  .join('\n')}
const json = (value: unknown): string => (value === null ? 'null' : JSON.stringify(value))
const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value))
/** For text that has nothing to escape. */
const plain = (value: string | null): string => (value === null ? 'null' : \`"\${value}"\`)

/** What \`JSON.stringify\` gives, without the last brace, in half the time. */
export const membersOf = (task: Task): string =>
  \`{${membersOf(usual)},\${hasRare(task) ? rareOf(task) : none}\`

type Rare = Pick<Task, ${rareFields.map((name) => `'${name}'`).join(' | ')}>

const rareOf = (task: Rare): string =>
  \`${membersOf(rareFields)}\`

/** By name: a loop over the names takes ten times as long. */
const hasRare = (task: Rare): boolean =>
  ${rareFields.map((name) => (named(name).absent === false ? `task.${name}` : `task.${name} !== ${JSON.stringify(named(name).absent)}`)).join(' ||\n  ')}

const none = rareOf({
${rareFields.map((name) => `  ${name}: ${JSON.stringify(named(name).absent)},`).join('\n')}
})`

const decoder = (): string => `${names
  .filter(isRead)
  .map((name) => `const is${capital(name)} = taskFields.${name}.kind.is`)
  .join('\n')}

function read<Name extends keyof Task>(
  name: Name,
  given: unknown,
  is: (value: unknown) => boolean,
  absent?: Task[Name],
): Task[Name] {
  const value = given === undefined ? absent : given
  if (is(value)) return value as Task[Name]
  throw new Error(\`its \${name} is \${value === undefined ? 'missing' : 'not possible'}\`)
}

/** The task that an object is. Another tool may leave out what is optional. */
export function taskIn(given: Readonly<Record<string, unknown>>, id: string): Task {
  if (given['id'] !== id) throw new Error('its id is not that of its key')
  const created_at = read('created_at', given['created_at'], isCreatedAt)
  return {
${lines(names, readOf)}
  }
}`

const others = (): string => `type Given = Pick<Task, ${names
  .filter((name) => isGiven(name, named(name)))
  .map((name) => `'${name}'`)
  .join(' | ')}>

/** A task that nobody has claimed yet. */
export const newTask = (given: Given): Task => ({
${lines(names, newOf)}
})

/** What a change overwrote: pairs of a field's number and its old value. */
export function differences(a: Task, b: Task): unknown[] {
  const found: unknown[] = []
${changing.map(differenceOf).join('\n')}
  return found
}

/** States that were read one by one have outputs of their own, which may say the same. */
const isSameOutput = (a: Task['output'], b: Task['output']): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))`

/** The codec of tasks, written out field by field: twice as fast as one that walks the table. */
export const codecSource =
  (): string => `/* Generated from fields.ts: change that, then run \`npx vitest run test/queue/codec -u\`. */

import { type TaskDocument as Task, taskFields } from './fields.ts'

${encoder()}

${decoder()}

${others()}
`
