import type { Caller, Role } from '../access/index.ts'
import type { JsonSchema, Method, ObjectSchema } from '../schema/index.ts'
import type { Explain } from './error.ts'

/** One part of a path, word of a query, or header. */
export interface Field {
  readonly schema: JsonSchema
  readonly isRequired?: true
}

export type Fields = Readonly<Record<string, Field>>

/** An answer that is a success. */
export interface Outcome {
  readonly about: string
  /** Left out where there is no content. */
  readonly schema?: JsonSchema
  readonly type?: string
  /** What the headers say, by their names. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A route as a row of a table. Routing, the checks of what comes in, and the published document are all read off
 * it, so that they can't contradict each other.
 */
export interface Route<Body = unknown> {
  readonly method: Method
  /** As in `/api/things/:id`. */
  readonly path: string
  /** What a caller must at least have. */
  readonly role: Role
  /** What of a request needs the role `admin`, whatever the role of the route. */
  readonly adminIf?: AdminCase
  /** Half a sentence. */
  readonly summary: string
  readonly details?: string
  /** Every part of the path that starts with a colon. */
  readonly params?: Fields
  /** An array is written with commas between its values. */
  readonly query?: Fields
  readonly headers?: Fields
  /** Left out, nothing may be sent but an empty object. */
  readonly body?: { readonly schema: ObjectSchema; readonly isOptional?: true }
  /** The field of the body that says who acts: of a named token only its own agents, and its name where it is left out. */
  readonly agentField?: string
  readonly outcomes: Readonly<Record<number, Outcome>>
  /** The codes that it can refuse with, without those that every route has. */
  readonly errors: readonly string[]
  /** Written as a method, so that routes whose bodies differ go into one table. */
  handle(call: Call<Body>): Answer | Promise<Answer>
}

/** A word of the query, or field of the body, with one value. */
export interface AdminCase {
  readonly in: 'query' | 'body'
  readonly field: string
  readonly value: string | boolean
}

/** Routes that belong together. */
export interface Table {
  readonly name: string
  readonly about: string
  readonly routes: readonly Route[]
  /** What their outcomes name by `ref`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** How their model tells its errors; as the API does where it is left out. */
  readonly explain?: Explain
}

/** All tables of an API, and what they have in common. */
export interface Api {
  readonly title: string
  readonly about: string
  readonly version: string
  /** Where a reverse proxy serves it; null or left out where the address that was asked is the right one. */
  readonly publicUrl?: string | null
  readonly tables: readonly Table[]
  /** The statuses of the codes beyond those of the kit. */
  readonly statuses: Readonly<Record<string, number>>
  readonly explain: Explain
}

/** A request whose every part is what the route's schemas say. */
export interface Call<Body = unknown> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly method: Method
  /** Path and query as they were asked for. */
  readonly url: string
  readonly isHead: boolean
  readonly caller: Caller
  /** Aborted when the client is gone, or the server ends. */
  readonly signal: () => AbortSignal
}

export interface Answer {
  readonly status: number
  /** To be written as JSON; left out where there is no content. */
  readonly body?: unknown
  /** Or JSON that is written already. */
  readonly json?: string
  /** Text in place of a body; a header says of which type. */
  readonly text?: string
  /** The tag of what is answered with, quoted. */
  readonly etag?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A stream of events in place of a body. */
  readonly events?: AsyncIterable<ServerEvent>
  /** What was changed or refused, where the path does not say it, or the request asked for several things; empty where nothing was changed. */
  readonly acts?: readonly Act[]
}

/** One of the things that a request asked for. */
export interface Act {
  readonly action?: string
  /** What an action that may do several things did. */
  readonly change?: string | undefined
  /** Of what it was done to. */
  readonly id?: string | undefined
  /** Of the parts of that which were changed. */
  readonly ids?: readonly string[] | undefined
  /** In whose name, where that was said. */
  readonly agent?: string | undefined
  /** Why it was not done; null where it was. */
  readonly code: string | null
  /** Whether that is nobody's mistake but ours. */
  readonly isFailure?: boolean
}

/** What is sent of an event; without data it only tells where to go on from. */
export interface ServerEvent {
  /** Left out where nothing can be gone on from. */
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
}
