import type { Field } from './fields.ts'
import { json, type Kind } from './kind.ts'
import type { Output } from './output.ts'
import { type JsonSchema, type ObjectSchema, objectOf } from './schema.ts'

/** What a caller may do, least first: each role includes those before it. */
export const roles = ['read', 'work', 'admin'] as const

/**
 * `read` looks. `work` also makes every change except those of `admin`: deletions of tasks and jobs, forced release,
 * retention, tokens.
 */
export type Role = (typeof roles)[number]

/** One thing that an operation is given. */
export interface Input<T = unknown, R extends boolean = boolean> {
  readonly kind: Kind<T>
  /** What it means; what its kind says where this is left out. */
  readonly about?: string | undefined
  readonly isRequired: R
}

export type Inputs = Readonly<Record<string, Input>>

export const required = <T>(kind: Kind<T>, about?: string): Input<T, true> => ({
  kind,
  about,
  isRequired: true,
})

export const optional = <T>(kind: Kind<T>, about?: string): Input<T, false> => ({
  kind,
  about,
  isRequired: false,
})

/** Fields of a document as inputs that may be left out. */
export const optionals = <F extends Readonly<Record<string, Field<unknown>>>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { kind, about }]) => [name, optional(kind, about)]),
  ) as { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? Input<T, false> : never }

type Valued<I> = I extends Input<infer T> ? T : never

/** What is given, by the kinds of the inputs. */
export type Given<I extends Inputs> = {
  readonly [Name in keyof I as I[Name] extends Input<unknown, true> ? Name : never]: Valued<I[Name]>
} & {
  readonly [Name in keyof I as I[Name] extends Input<unknown, true> ? never : Name]?: Valued<
    I[Name]
  >
}

/** The schema of each input, with its meaning. */
export const inputSchemas = (inputs: Inputs): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { kind, about }]) => [
      name,
      about === undefined ? kind.schema : { ...kind.schema, description: about },
    ]),
  )

/** The schema of an object with these inputs, and no others. */
export function inputSchema(inputs: Inputs, errorCode?: string): ObjectSchema {
  const needed = Object.keys(inputs).filter((name) => inputs[name]?.isRequired)
  return objectOf(inputSchemas(inputs), {
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(errorCode === undefined ? {} : { errorCode }),
  })
}

/** Some inputs together, as one value of another. */
export const objectKind = <const I extends Inputs>(inputs: I): Kind<Given<I>> =>
  json<Given<I>>(inputSchema(inputs))

/** How an operation is asked for, beside its inputs. */
export interface Asked<On = object> {
  /** The state of what it changes that the caller has seen: in another it is refused. */
  readonly on: On
  /** The request in the words of its surface, for a log. */
  readonly cmd: string
  /** Throws where the caller may not take what this agent has claimed. */
  readonly checkTaking: (agent: string) => void
  /** Throws where nobody has said who acts. */
  readonly checkNamed: () => void
  /** Which part of a page is read at a time: a page of large documents is read in several steps. */
  readonly share: number
}

/**
 * What a model can be asked for, as a row of a table. HTTP routes, their documentation, clients and the inputs of tools are
 * read off it. It holds nothing but data and calls of the model's methods, so a browser can import it.
 */
export interface Operation<
  M = never,
  I extends Inputs = Inputs,
  R = unknown,
  W = unknown,
  On = object,
> {
  /** Method and path. `:id` is an input in the path, `?force` one in the query; where the others are, the method says. */
  readonly http: string
  /** Half a sentence. */
  readonly summary: string
  readonly details?: string
  readonly input: I
  readonly output: Output<R, W>
  /** The codes that it can be refused with, beyond those of every operation. */
  readonly errors?: readonly string[]
  /** What a caller must at least have: `read` or `work`, by the method, where it is left out. */
  readonly role?: Role
  /** The value of an input that needs the role `admin`. */
  readonly adminIf?: Readonly<Record<string, string | boolean>>
  /** The input that says who acts. One called `agent` is a header of HTTP. */
  readonly agent?: string
  /** Whether it can be asked for in one state alone. */
  readonly heedsState?: true
  /** Whether asking twice does what asking once does: always, or where this input is given. All but changes are so. */
  readonly repeatable?: true | string
  /** The code for inputs that are missing, where their own say something else. */
  readonly missing?: string
  /** What a log calls it where it finds out by itself what it acts on. */
  readonly loggedAs?: string
  /** Asks the model. Written as a method, so that operations whose inputs differ go into one table. */
  run(model: M, given: Given<I>, asked: Asked<On>): R | Promise<R>
}

export type Operations<M = never> = Readonly<Record<string, Operation<M>>>

/** Makes rows for one model, with the types of what they are given and answer; `On` is what a condition of it is. */
export const operationsOf =
  <M, On = object>() =>
  <const I extends Inputs, R, W, const H extends true | undefined = undefined>(
    row: Operation<M, I, R, W, On> & {
      readonly agent?: keyof I & string
      readonly repeatable?: true | (keyof I & string)
      readonly heedsState?: H & {}
    },
  ): Operation<M, I, R, W, On> & { readonly heedsState?: H & {} } =>
    row

export const roleOf = ({ role, http }: Operation): Role =>
  role ?? (isChange({ http }) ? 'work' : 'read')

/** All but GET change something, or may. */
export const isChange = ({ http }: Pick<Operation, 'http'>): boolean => !http.startsWith('GET ')
