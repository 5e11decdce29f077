import { checkTaking } from '../access/index.ts'
import { kinds } from '../collection/index.ts'
import {
  type Asked,
  type CursorPage,
  type HttpForm,
  httpForm,
  type Input,
  type Inputs,
  inputSchema,
  inputSchemas,
  isChange,
  type JsonSchema,
  type OffsetPage,
  type Operation,
  type Operations,
  outputSchema,
  placed,
  roleOf,
  schemasIn,
} from '../schema/index.ts'
import { HttpError } from './error.ts'
import { conditionOf, ifMatchState } from './etag.ts'
import { cursorAnswer, cursorHeaders, offsetAnswer, pageHeaders, wholeAnswer } from './paging.ts'
import type { Answer, Call, Fields, Outcome, Route, Table } from './route.ts'

type Headers = Readonly<Record<string, string>>

/** How HTTP shows the documents of one shape; as they are, without headers, where nothing is said. */
export interface Shown<T> {
  /** One by itself. */
  answer?(item: T, call: Call): Answer | Promise<Answer>
  /** What the headers of that say. */
  readonly headers?: Headers
  /** And the headers after a change. */
  readonly changeHeaders?: Headers
  /** One in a list. */
  listed?(item: T): unknown
  /** The path of a new one. */
  at?(item: T): string
  /** How many to read at a time, so that a page of large ones is never in memory as a whole. */
  readonly readAtOnceMax?: number
}

/** The operations of a model, and all that HTTP adds to them. */
export interface Binding<M> extends Omit<Table, 'routes' | 'schemas'> {
  readonly model: M
  readonly operations: Operations<M>
  /** By the names of shapes. Written with any, for each takes documents of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the operation says which documents these are
  readonly shapes?: Readonly<Record<string, Shown<any>>>
  /** How `If-Match` names a state. */
  readonly condition?: { readonly fields: Fields; readonly of: (call: Call) => object }
  /** What HTTP does in a way of its own, by the names of operations. */
  readonly own?: Readonly<Record<string, Partial<Route>>>
  /** Routes of the same table that are no operations of the model. */
  readonly more?: Pick<Table, 'routes' | 'schemas'>
  /** Told of every change through this server. */
  readonly changed?: () => void
}

/** A table of routes, one for each operation. */
export function tableOf<M>(binding: Binding<M>): Table {
  const { name, about, explain, operations, own = {}, more = { routes: [], schemas: {} } } = binding
  const routes = Object.entries(operations).map(([name, operation]) => ({
    ...routeOf(operation, binding),
    ...own[name],
  }))
  return {
    name,
    about,
    ...(explain ? { explain } : {}),
    routes: [...routes, ...more.routes],
    schemas: {
      ...schemasIn(Object.values(operations).map(({ output }) => output)),
      ...more.schemas,
    },
  }
}

function routeOf<M>(operation: Operation<M>, binding: Binding<M>): Route {
  const form = httpForm(operation)
  const { summary, details, input, output, adminIf, agent, heedsState, missing } = operation
  const { condition = byState, shapes = {} } = binding
  const shown = shapes[output.shape?.name ?? ''] ?? {}
  const sent = placed<Input>(input, form, 'body')
  const named = 'agent' in input ? { 'X-Agent-ID': fieldOf('agent', input) } : {}
  return {
    method: form.method,
    path: form.path,
    role: roleOf(operation as Operation),
    summary,
    ...(details === undefined ? {} : { details }),
    ...(adminIf ? { adminIf: adminCase(adminIf, form) } : {}),
    params: fieldsOf(placed<Input>(input, form, 'path')),
    query: fieldsOf(placed<Input>(input, form, 'query')),
    headers: { ...named, ...(heedsState ? condition.fields : {}) },
    ...(Object.keys(sent).length === 0 ? {} : { body: bodyOf(sent, form, missing) }),
    ...(agent !== undefined && form.places[agent] === 'body' ? { agentField: agent } : {}),
    outcomes: outcomesOf(operation as Operation, shown),
    errors: errorsOf(operation as Operation),
    handle: handlerOf(operation, { ...binding, condition }, shown),
  }
}

const byState = { fields: ifMatchState, of: conditionOf }

export const fieldsOf = (inputs: Inputs): Fields =>
  Object.fromEntries(Object.keys(inputs).map((name) => [name, fieldOf(name, inputs)]))

const fieldOf = (name: string, inputs: Inputs) => ({
  schema: inputSchemas(inputs)[name] as JsonSchema,
  ...(inputs[name]?.isRequired ? ({ isRequired: true } as const) : {}),
})

/** Nothing need be sent where all of it may be left out; but whoever changes fields says which. */
function bodyOf(inputs: Inputs, { method }: HttpForm, missing: string | undefined) {
  const schema = inputSchema(inputs, missing)
  const isOptional = schema.required === undefined && method === 'POST'
  return { schema, ...(isOptional ? ({ isOptional } as const) : {}) }
}

function adminCase(adminIf: NonNullable<Operation['adminIf']>, { places }: HttpForm) {
  const [[field, value]] = Object.entries(adminIf) as [[string, string | boolean]]
  return { in: places[field] as 'query' | 'body', field, value }
}

/** What inputs are refused for, and states, follows from the row. */
function errorsOf({ input, errors = [], heedsState }: Operation): string[] {
  const own = Object.values(input).flatMap(({ kind }) => codesIn(kind.schema))
  return [...new Set([...errors, ...own, ...(heedsState ? ['PRECONDITION_FAILED'] : [])])]
}

const codesIn = ({ errorCode, items }: JsonSchema): string[] => [
  ...(errorCode === undefined ? [] : [errorCode]),
  ...(items === undefined ? [] : codesIn(items as JsonSchema)),
]

function outcomesOf(
  operation: Operation,
  { headers = {}, changeHeaders = {} }: Shown<never>,
): Route['outcomes'] {
  const { output } = operation
  const { form, about, shape } = output
  const schema = outputSchema(output)
  if (shape === null || schema === null) return { 204: { about } }
  const all = isChange(operation) ? { ...headers, ...changeHeaders } : headers
  const asNow: Outcome = { about: `The ${shape.noun}, as it is now.`, schema, headers: all }
  const asNew: Outcome = {
    about,
    schema,
    headers: { Location: `Where the ${shape.noun} is.`, ...headers },
  }
  switch (form) {
    case 'one':
      return { 200: { ...asNow, about } }
    case 'created':
      return { 201: asNew }
    case 'ensured':
      return { 200: asNow, 201: asNew }
    case 'found':
      return { 200: asNow, 204: { about } }
    case 'steps': {
      const counted = output.isCounted ? { 'X-Total-Count': pageHeaders['X-Total-Count'] } : {}
      return { 200: { about, schema, headers: { ...counted, ...cursorHeaders } } }
    }
    default:
      return { 200: { about, schema, headers: pageHeaders } }
  }
}

type Handled<M> = Pick<Binding<M>, 'model' | 'changed'> & {
  readonly condition: NonNullable<Binding<M>['condition']>
}

function handlerOf<M>(
  operation: Operation<M>,
  { model, changed, condition }: Handled<M>,
  shown: Shown<unknown>,
): Route['handle'] {
  const answer = answering(operation as Operation, shown)
  const { heedsState } = operation
  return (call) => {
    const given = givenIn(call)
    const on = heedsState ? condition.of(call) : {}
    const run = async (more: object = {}, share = 1) =>
      operation.run(model, { ...given, ...more } as never, { ...askedIn(call), on, share })
    return answer(call, changed && isChange(operation) ? followed(run, changed) : run)
  }
}

type Run = (more?: object, share?: number) => Promise<unknown>

const followed =
  (run: Run, changed: () => void): Run =>
  async (...given) => {
    const result = await run(...given)
    changed()
    return result
  }

/** All inputs: a route takes no others. */
function givenIn({ params, query, body, headers }: Call): object {
  const agent = headers['x-agent-id']
  return { ...params, ...query, ...(body as object), ...(agent === undefined ? {} : { agent }) }
}

const askedIn = ({ caller, url, method, headers }: Call): Omit<Asked, 'on' | 'share'> => ({
  cmd: `${method} ${url}`,
  checkTaking: (agent) => checkTaking(caller, agent),
  checkNamed: () => {
    if (headers['x-agent-id'] === undefined) throw missingAgent()
  },
})

const missingAgent = (): HttpError =>
  new HttpError(
    { code: 'MISSING_AGENT', status: 400 },
    'It is not said which agent asks. Give the header X-Agent-ID.',
    { details: { header: 'x-agent-id' } },
  )

/** Makes an answer of what the model gives, by the form that the operation says. */
function answering({ output, loggedAs }: Operation, shown: Shown<unknown>) {
  const { listed = (item: unknown) => item, at = () => '' } = shown
  const bare = (item: unknown): Answer => ({ status: 200, body: item })
  const oneOf = async (item: unknown, call: Call): Promise<Answer> =>
    (shown.answer ?? bare)(item, call)
  const newOf = async (item: unknown, call: Call): Promise<Answer> => {
    const answer = await oneOf(item, call)
    return { ...answer, status: 201, headers: { ...answer.headers, Location: at(item) } }
  }
  const forms: Record<string, (call: Call, run: Run) => Promise<Answer>> = {
    one: async (call, run) => {
      const item = await run()
      if (item !== null || !output.ifNull) return oneOf(item, call)
      const { error, details = {} } = output.ifNull
      throw new HttpError(kinds.not_found, error, { details })
    },
    created: async (call, run) => newOf(await run(), call),
    ensured: async (call, run) => {
      const { item, isNew } = (await run()) as { item: unknown; isNew: boolean }
      return isNew ? newOf(item, call) : { ...(await oneOf(item, call)), acts: [] }
    },
    found: async (call, run) => {
      const item = (await run()) as { id: string } | null
      if (item === null) return { status: 204, acts: [] }
      const acts = [{ action: loggedAs ?? '', id: item.id, code: null }]
      return { ...(await oneOf(item, call)), acts }
    },
    done: async (_, run) => {
      await run()
      return { status: 204 }
    },
    whole: async (call, run) => {
      const all = (await run()) as readonly unknown[]
      return wholeAnswer(call, shown.listed ? all.map(listed) : all, output.usual ?? undefined)
    },
    page: async (call, run) => {
      const { limit = output.usual as number, offset = 0 } = call.query as Cut
      const page = (await run({ limit, offset })) as OffsetPage<unknown>
      return offsetAnswer(call, { ...page, limit, offset })
    },
    steps: async (call, run) => steppedAnswer(call, run, { output, shown: { ...shown, listed } }),
  }
  return forms[output.form] as (call: Call, run: Run) => Promise<Answer>
}

interface Cut {
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
}

/** One page of a list that is read step by step. */
async function steppedAnswer(
  call: Call,
  run: Run,
  { output, shown }: { output: Operation['output']; shown: Shown<unknown> },
): Promise<Answer> {
  const { limit = output.usual as number, cursor } = call.query as Cut
  let total: number | undefined
  const answer = await cursorAnswer(call, {
    limit,
    cursor,
    readAtOnceMax: shown.readAtOnceMax ?? limit,
    isNewestLast: output.isNewestLast === true,
    read: async (wanted, cursor) => {
      const page = (await run({ limit: wanted, cursor }, wanted / limit)) as CursorPage<unknown>
      total = page.total
      return page
    },
    shown: shown.listed as (item: unknown) => unknown,
  })
  if (total === undefined) return answer
  return { ...answer, headers: { 'X-Total-Count': String(total), ...answer.headers } }
}
