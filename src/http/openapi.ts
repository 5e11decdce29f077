import type { Role } from '../access/index.ts'
import { type JsonSchema, objectOf, published, ref } from '../schema/index.ts'
import { kitStatuses } from './error.ts'
import { sentenceOf } from './permission.ts'
import type { Api, Fields, Outcome, Route, Table } from './route.ts'

/** What of an OpenAPI document we write, and read again for the page. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  /** Left out where it is the one that the document came from. */
  readonly servers?: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** The least that a token must allow. */
  readonly 'x-role': Role
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>
  readonly content?: Content
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

const aboutToken =
  'The server’s own token, or a named one: see `holdfast token add`. The extension `x-role` of an operation says which role a named token must have: `read`, `work`, which includes `read`, or `admin`, which includes both.'

const errorSchema = objectOf(
  {
    error: { type: 'string', description: 'What, why, and what to do next.' },
    code: { type: 'string', description: 'What programs go by.' },
    details: { type: 'object', description: 'What else programs need to know, by code.' },
  },
  { required: ['error', 'code', 'details'] },
)

/** The document that says all there is to know about an API: made of its tables, and so never out of date. */
export function openApiOf(api: Api): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const table of api.tables)
    for (const route of table.routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, table, api) }
    }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.about },
    ...(api.publicUrl ? { servers: [{ url: api.publicUrl }] } : {}),
    tags: api.tables.map(({ name, about }) => ({ name, description: about })),
    // Where the server was started with a token, or its store has named ones; else none is asked for.
    security: [{ token: [] }, {}],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries({ ...schemasOf(api), Error: errorSchema }).map(([name, schema]) => [
          name,
          published(schema),
        ]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: aboutToken } },
    },
  }
}

/** What the answers of all tables are. */
const schemasOf = ({ tables }: Api): Readonly<Record<string, JsonSchema>> =>
  Object.assign({}, ...tables.map(({ schemas }) => schemas))

function operationOf(route: Route, { name }: Table, api: Api): Operation {
  const { details = '', adminIf } = route
  const description = adminIf ? `${details} ${sentenceOf(adminIf)}`.trim() : details
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    'x-role': route.role,
    tags: [name],
    parameters: [
      ...parametersOf('path', route.params),
      ...parametersOf('query', route.query),
      ...parametersOf('header', route.headers),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.isOptional,
            content: { 'application/json': { schema: published(route.body.schema) } },
          },
        }
      : {}),
    responses: { ...successesOf(route.outcomes), ...failuresOf(route, api) },
  }
}

/** `get_api_tasks_id_claim`: unlike a summary it never changes. */
const operationIdOf = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...(path.match(/\w+/g) ?? [])].join('_').replaceAll('-', '_')

function parametersOf(place: Parameter['in'], fields: Fields = {}): Parameter[] {
  return Object.entries(fields).map(([name, { schema, isRequired }]) => {
    const { description, ...rest } = published(schema)
    return {
      name,
      in: place,
      required: place === 'path' || isRequired === true,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      // A comma between the values, not the name again.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    }
  })
}

function successesOf(outcomes: Readonly<Record<number, Outcome>>): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(outcomes).map(([status, { about, schema, type, headers }]) => [
      status,
      {
        description: about,
        ...(headers && Object.keys(headers).length > 0 ? { headers: headersOf(headers) } : {}),
        ...(schema ? { content: { [type ?? 'application/json']: { schema } } } : {}),
      },
    ]),
  )
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )

/** What every route can answer with. */
const always = [
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'FORBIDDEN_AGENT',
  'FORBIDDEN_HOST',
  'FORBIDDEN_ORIGIN',
  'TOO_MANY_ATTEMPTS',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'STORE_UNAVAILABLE',
]
/** And every route that may be sent something. */
const onWriting = ['INVALID_BODY', 'REQUEST_TIMEOUT', 'BODY_TOO_LARGE']

const codesOf = ({ method, role, errors }: Route): string[] => [
  ...new Set([
    ...errors,
    ...always,
    ...(method === 'GET' ? [] : onWriting),
    // Every token may at least read.
    ...(role === 'read' ? [] : ['FORBIDDEN_ROLE']),
  ]),
]

function failuresOf(route: Route, api: Api): Record<string, Response> {
  const statuses: Readonly<Record<string, number>> = { ...kitStatuses, ...api.statuses }
  const byStatus = new Map<number, string[]>()
  for (const code of codesOf(route)) {
    const status = statuses[code]
    if (status === undefined) throw new Error(`${route.path} names the unknown code ${code}.`)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.toSorted().join(', '),
        content: { 'application/json': { schema: errorOf(codes.toSorted()) } },
      },
    ]),
  )
}

const errorOf = (codes: readonly string[]): JsonSchema => ({
  allOf: [ref('Error'), { type: 'object', properties: { code: { enum: codes } } }],
})
