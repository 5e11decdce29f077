/** What an answer says besides its value. */
export interface Answer {
  /** The HTTP status: 201 of what is new. */
  readonly status: number
  /** The state of the value, for `ifMatch`; null where the server tells none. */
  readonly etag: string | null
  /** All headers, such as `Age` of counts. */
  readonly headers: Headers
}

const answers = new WeakMap<object, Answer>()

/** Status, ETag and headers of the answer that a value came with; undefined for anything that is no whole answer, such as a copy or an item of a list. */
export const answerOf = (value: object): Answer | undefined => answers.get(value)

/** Remembers what a value came with. Proxies that compress only weaken the tag. */
export function remember(value: unknown, status: number, headers: Headers): void {
  if (typeof value !== 'object' || value === null) return
  const etag = headers.get('ETag')?.replace(/^W\//, '') ?? null
  answers.set(value, { status, etag, headers })
}
