import {
  agentHeader,
  type HttpForm,
  httpForm,
  type Inputs,
  type Operation,
  placed,
} from '../schema/index.ts'
import { answerOf } from './answer.ts'
import type { Asked, CallOptions } from './connection.ts'
import { ClientError, invalidRequest } from './error.ts'

/** The state that a change is meant for: a value that this client was answered with, or an ETag. */
export interface Condition {
  /** Make the change only if this still is what the server has; else the error is `PRECONDITION_FAILED`. */
  readonly ifMatch?: object | string | undefined
}

/** What is read off a row of a table. */
export type Row = Pick<Operation, 'http' | 'input' | 'output' | 'heedsState' | 'repeatable'>

interface Call {
  readonly method: string
  readonly path: string
  readonly asked: Asked
}

type Values = Readonly<Record<string, unknown>>

/** An operation and what it is given, as a request. */
export function callOf(
  row: Row,
  given: Values,
  options: CallOptions & Condition,
  agent?: string,
): Call {
  const form = httpForm(row)
  const values = checked(row.input, withAgent(row.input, given, agent))
  const body = placed(values, form, 'body')
  const takesBody = Object.values(form.places).includes('body')
  const { ifMatch, ...rest } = options
  if (ifMatch !== undefined && !row.heedsState)
    throw invalidRequest(`${row.http} takes no ifMatch. Leave it out.`)
  return {
    method: form.method,
    path: pathOf(form, values),
    asked: {
      ...rest,
      query: placed(values, form, 'query'),
      ...(takesBody ? { body } : {}),
      headers: {
        ...('agent' in values ? { [agentHeader]: String(values['agent']) } : {}),
        ...(ifMatch === undefined ? {} : { 'If-Match': tagOf(ifMatch) }),
      },
      ...(isRepeatable(row, values) ? { isRepeatable: true } : {}),
    },
  }
}

/** A client may say once who acts. */
const withAgent = (input: Inputs, given: Values, agent: string | undefined): Values =>
  'agent' in input && given['agent'] === undefined && agent !== undefined
    ? { ...given, agent }
    : given

/** All that is given. What the operation does not know is refused here: it would not even be sent. */
function checked(input: Inputs, given: Values): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!Object.hasOwn(input, name)) {
      const known = Object.keys(input).join(', ')
      const hint = known === '' ? 'None is known here.' : `Known are ${known}.`
      throw invalidRequest(`Unknown input: ${JSON.stringify(name)}. ${hint}`)
    }
    values[name] = value
  }
  return values
}

/** An empty part, or one of dots, would lead to another route. */
const pathOf = ({ path }: HttpForm, values: Values): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[name]
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value)
    const what = value === undefined ? 'is missing' : 'can’t be part of a path'
    throw invalidRequest(`The input ${name} ${what}. Give the text of an id.`)
  })

const isRepeatable = ({ repeatable }: Row, values: Values): boolean =>
  repeatable === true || (repeatable !== undefined && (values[repeatable] ?? null) !== null)

function tagOf(seen: object | string): string {
  const tag = typeof seen === 'string' ? seen : answerOf(seen)?.etag
  if (tag === undefined || tag === null)
    throw new ClientError(
      'no_state',
      'The value given as ifMatch has no ETag. Give one that a read or a change answered with, not a copy or an item of a list.',
    )
  return /^(\*|(W\/)?".*")$/.test(tag) ? tag : `"${tag}"`
}
