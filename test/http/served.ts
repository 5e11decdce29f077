import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ServeOptions, type Serving, serveCoven } from '../../src/http/index.ts'
import type { OpenApi, Operation } from '../../src/http/openapi.ts'
import type { Store } from '../../src/store/index.ts'
import type { Task } from '../../src/tree/index.ts'

export interface Asked {
  readonly agent?: string | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface Answered<T = unknown> {
  readonly status: number
  readonly body: T
  readonly headers: Headers
}

/** What a document says, made ready to be compared with. */
class Schemas {
  readonly document: OpenApi
  /** Whether it is a document at all is for its own test to say: that takes longer than all that is asked here. */
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(text: string) {
    this.document = JSON.parse(text) as OpenApi
    this.#ajv.addSchema(this.document as unknown as object, 'api')
  }

  at(parts: readonly (string | number)[]): ValidateFunction {
    const escaped = parts.map((part) =>
      encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    const $ref = `api#/${escaped.join('/')}`
    const known = this.#validators.get($ref) ?? this.#ajv.compile({ $ref })
    this.#validators.set($ref, known)
    return known
  }
}

/** By the text of the document: servers of a kind publish the same one, and compiling it takes longer than most tests. */
const published = new Map<string, Schemas>()

function schemasOf(text: string): Schemas {
  const schemas = published.get(text) ?? new Schemas(text)
  published.set(text, schemas)
  return schemas
}

/** What an API answers is compared with the document that it publishes, at every call. */
export class Caller {
  readonly url: string
  readonly document: OpenApi
  readonly #schemas: Schemas

  private constructor(url: string, schemas: Schemas) {
    this.url = url
    this.document = schemas.document
    this.#schemas = schemas
  }

  static async to(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Caller> {
    const response = await fetch(`${url}/openapi.json`, { headers })
    return new Caller(url, schemasOf(await response.text()))
  }

  /** Callers of servers of one kind: whatever the store, they publish the same document, which is read once. */
  static ofOneKind(): (url: string) => Promise<Caller> {
    let first: Promise<Caller> | undefined
    return async (url) => {
      first ??= Caller.to(url)
      return new Caller(url, (await first).#schemas)
    }
  }

  async ask<T = Task>(method: string, path: string, asked: Asked = {}): Promise<Answered<T>> {
    const { agent, body, headers } = asked
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(agent === undefined ? {} : { 'X-Agent-ID': agent }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const told = text === '' ? undefined : JSON.parse(text)
    this.#check(method, path, response.status, told)
    return { status: response.status, body: told as T, headers: response.headers }
  }

  get<T = Task>(path: string, asked?: Asked): Promise<Answered<T>> {
    return this.ask<T>('GET', path, asked)
  }

  /** What a success answers with. */
  async done<T = Task>(method: string, path: string, asked?: Asked): Promise<T> {
    const { status, body } = await this.ask<T>(method, path, asked)
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  create(body: unknown): Promise<Task> {
    return this.done('POST', '/api/tasks', { body })
  }

  /** Refused with this code; answers with the details. */
  async refused(
    [method, path]: readonly [string, string],
    code: string,
    asked?: Asked,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.ask<Refused>(method, path, asked)
    assert.equal(body?.code, code, `${status} ${JSON.stringify(body)}`)
    assert.deepEqual(Object.keys(body), ['error', 'code', 'details'])
    return body.details
  }

  #check(method: string, path: string, status: number, body: unknown): void {
    const found = operationAt(this.document, method, path.split('?')[0] as string)
    if (!found) return
    const response = found.operation.responses[status]
    assert.ok(response, `${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
    const [type] = Object.entries(response.content ?? {})
    if (!type) {
      assert.equal(body, undefined)
      return
    }
    const at = ['paths', found.path, method.toLowerCase(), 'responses', status, 'content', type[0]]
    const validate = this.#schemas.at([...at, 'schema'])
    assert.ok(validate(body), `${method} ${path} ${status}: ${JSON.stringify(validate.errors)}`)
  }
}

export interface Refused {
  readonly error: string
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The operation that a request is one of; one with fixed words goes before one with parameters. */
function operationAt({ paths }: OpenApi, method: string, path: string) {
  const [best] = Object.keys(paths)
    .filter((template) => isPath(template, path))
    .sort((a, b) => a.split('{').length - b.split('{').length)
  const operation = best && (paths[best]?.[method.toLowerCase()] as Operation | undefined)
  return best && operation ? { path: best, operation } : null
}

const patterns = new Map<string, RegExp>()

/** Whether a path is one that is written so in a document. */
export function isPath(template: string, path: string): boolean {
  const known = patterns.get(template) ?? new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(template, known)
  return known.test(path)
}

/** Serves a store on a free port. */
export const served = (store: Store, options: Partial<ServeOptions> = {}): Promise<Serving> =>
  serveCoven({ store, folder: null, port: 0, ...options })

/** An id that no task has. */
export const nobody = '01a1e099-0000-7000-8000-000000000000'
