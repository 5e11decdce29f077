import { kinds, Refusal, type RefusalKind } from './refusal.ts'

/** What an error says: what and why, what to do about it, and properties of its own. */
type Said<Own extends object = object> = readonly [what: string, next?: string | null, own?: Own]

/** Where HTTP or a program tells an error by another status or exit code than others of its kind. */
interface Surface {
  readonly status?: number
  readonly exit?: number
}

/** One class of errors, as the table of a model has it. */
export interface Row<
  Code extends string,
  Kind extends RefusalKind,
  Given extends readonly unknown[],
  Own extends object,
> {
  /** Of several, `own` has the one that counts. */
  readonly code: Code | readonly Code[]
  readonly kind: Kind
  readonly says: (...given: Given) => Said<Own>
  readonly surface: Surface
}

/** The errors of a model, by the names of their classes. */
type Rows = Readonly<Record<string, Row<string, RefusalKind, never, object>>>

/** Every code of a table. */
export type CodesOf<R extends Rows> = Extract<R[keyof R]['code'], string>

/** What makes the errors of one class: they are `Base` with what all of the class share, and properties of their own. */
export interface RefusalClass<
  Base extends Refusal,
  Shared extends object,
  Given extends readonly unknown[],
  Own extends object = object,
> {
  new (...given: Given): Base & Omit<Readonly<Shared>, keyof Own> & Readonly<Own>
  readonly prototype: Base
}

/** What a constructor is given where the caller has the words. */
type Words = [what: string, next?: string | null]

/** A row of a table of errors; without `says`, its constructor is given what the error says. */
export const row = <
  const Code extends string,
  Kind extends RefusalKind,
  Given extends readonly unknown[] = Words,
  Own extends object = object,
>(
  code: Code | readonly Code[],
  kind: Kind,
  says?: (...given: Given) => Said<Own>,
  surface: Surface = {},
): Row<Code, Kind, Given, Own> => ({ code, kind, says: says ?? (asGiven as never), surface })

const asGiven = (...words: Words): Said => words

/** A class for each row of a table. */
export type ErrorsOf<Base extends Refusal, R extends Rows> = {
  readonly [Name in keyof R]: R[Name] extends Row<infer Code, infer Kind, infer Given, infer Own>
    ? RefusalClass<Base, { code: Code; kind: Kind }, Given, Own>
    : never
}

/** A class for each row of a table, all below the class of the model. */
export const errorsOf = <Base extends Refusal, R extends Rows>(
  base: abstract new (what: string, next?: string | null) => Base,
  rows: R,
): ErrorsOf<Base, R> =>
  Object.fromEntries(
    Object.entries(rows).map(([name, { code, kind, says }]) => [
      name,
      classOf(base, { name, code, kind }, says),
    ]),
  ) as unknown as ErrorsOf<Base, R>

/** A class of errors without a code; without `says`, its constructor is given what the error says. */
export const refusal = <
  Kind extends RefusalKind,
  Given extends readonly unknown[] = Words,
  Own extends object = object,
>(
  name: string,
  kind: Kind,
  says?: (...given: Given) => Said<Own>,
) =>
  classOf(Refusal, { name, kind }, says ?? (asGiven as never)) as unknown as RefusalClass<
    Refusal,
    { kind: Kind },
    Given,
    Own
  >

function classOf<Given extends readonly unknown[]>(
  base: abstract new (what: string, next?: string | null) => Refusal,
  fixed: object,
  says: (...given: Given) => Said,
) {
  return class extends (base as unknown as new (what: string, next?: string | null) => Error) {
    constructor(...given: Given) {
      const [what, next, own] = says(...given)
      super(what, next)
      Object.assign(this, fixed, own)
    }
  }
}

/** What each code of a table is over HTTP (`status`) or what it ends a program with (`exit`). */
export const answersOf = <R extends Rows>(rows: R, surface: keyof Surface) =>
  Object.fromEntries(
    Object.values(rows).flatMap((each) =>
      [each.code].flat().map((code) => [code, { ...kinds[each.kind], ...each.surface }[surface]]),
    ),
  ) as Readonly<Record<CodesOf<R>, number>>

/** The id that a caller chose is taken. */
export const taskExists = (id: string): [string, string] => [
  `There is a task ${id} already.`,
  'Choose another id, or none; use an idempotency key to submit the same work safely twice.',
]

/** Nobody says what it has become. */
export const changedMeanwhile = (noun: string): [string, string] => [
  `The ${noun} has been changed meanwhile.`,
  'Look at it now, and decide again.',
]

/** Several have an id that starts so. */
export const ambiguous =
  (nouns: string) =>
  (
    prefix: string,
    candidates: readonly string[],
    count: number,
  ): Said<{ candidates: readonly string[]; count: number }> => [
    `${count} ${nouns} have an id that starts with ${prefix}.`,
    'Give more of the id.',
    { candidates, count },
  ]
