import { type Given, type Inputs, isChange, type Operation, type Output } from '../schema/index.ts'
import { type Condition, callOf, type Row } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import { ClientError } from './error.ts'
import { itemsFrom, type Page, pageOf, pagesFrom, whole } from './pages.ts'

/* What a table of operations is as an object with methods: its types, and what makes it. */

/** Where something may be left out, it may also be undefined; and a client says once who acts. */
type Loose<T> = {
  readonly [Name in keyof T as Name extends 'agent' | 'flat' ? never : Name]: Pick<
    T,
    Name
  > extends Required<Pick<T, Name>>
    ? T[Name]
    : T[Name] | undefined
} & (T extends { readonly agent?: unknown } ? { readonly agent?: string | undefined } : object)

type InputOf<O> = O extends { readonly input: infer I extends Inputs } ? Loose<Given<I>> : never
type AnswerOf<O> = O extends { readonly output: Output<unknown, infer W> } ? W : never
type OptionsOf<O> = CallOptions &
  (O extends { readonly heedsState?: infer H } ? (true extends H ? Condition : object) : object)
type Arguments<I, O> = object extends I ? [input?: I, options?: O] : [input: I, options?: O]

/** Asks for one thing. */
export type Method<I, W, O = CallOptions> = (...given: Arguments<I, O>) => Promise<W>

/** Reads a list: a page of it; or all of it, page by page. */
export interface ListMethod<T, I> {
  /** One page. */
  (...given: Arguments<I, CallOptions>): Promise<Page<T>>
  /** All items. A `limit` is how many to read at a time. */
  all(...given: Arguments<I, CallOptions>): AsyncGenerator<T>
  /** All pages. */
  pages(...given: Arguments<I, CallOptions>): AsyncGenerator<Page<T>>
}

/** The method of an operation. */
type MethodOf<O> =
  AnswerOf<O> extends readonly (infer T)[]
    ? ListMethod<T, InputOf<O>>
    : Method<InputOf<O>, AnswerOf<O> extends null ? void : AnswerOf<O>, OptionsOf<O>>

/** The methods of a model: one for each operation of its table. */
export type Methods<T> = { readonly [Name in keyof T]: MethodOf<T[Name]> }

type Values = Readonly<Record<string, unknown>>
type Ask = (given?: Values, options?: CallOptions & Condition) => Promise<unknown>

/** An object with a method for each row. */
export const methodsOf = <T extends object>(
  table: T,
  connection: Connection,
  agent: string | undefined,
): Methods<T> =>
  Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, methodOf(row as Row, connection, agent)]),
  ) as unknown as Methods<T>

const lists: readonly Operation['output']['form'][] = ['whole', 'page', 'steps']

function methodOf(row: Row, connection: Connection, agent: string | undefined): Ask {
  const ask = (given: Values, options: CallOptions & Condition) => {
    // As a tree it would be no list, and one too deep for many parsers.
    const wanted = 'flat' in row.input ? { ...given, flat: true } : given
    const { method, path, asked } = callOf(row, wanted, options, agent)
    return connection.ask<unknown>(method, path, asked)
  }
  if (lists.includes(row.output.form)) {
    const page = async (given: Values = {}, options: CallOptions = {}) =>
      pageOf((await ask(given, options)) as never, connection, options)
    return Object.assign(page, {
      all: (given: Values, options: CallOptions) => itemsFrom(() => page(given, options)),
      pages: (given: Values, options: CallOptions) => pagesFrom(() => page(given, options)),
    })
  }
  return async (given = {}, options = {}) => {
    const received = await ask(given, options)
    if (row.output.form === 'done') return
    const isPart = given['limit'] !== undefined || given['offset'] !== undefined
    if (received.value === null || isPart) return received.value
    const { signal, timeoutMs } = options
    const rest = whole(received, connection, { signal, timeoutMs })
    return isChange(row) ? rest.catch(lostRest) : rest
  }
}

/** The change is made: only what it is now could not be read to its end. */
function lostRest(cause: unknown): never {
  if (!(cause instanceof ClientError)) throw cause
  const message = 'The change was made, but the rest of the answer was lost. Read again.'
  const { status, details } = cause
  throw new ClientError('unknown_outcome', message, { status, details, cause })
}
