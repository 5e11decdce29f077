/** What kind of trouble it is: each wants something else of whoever looks at the page. */
export type FailureKind =
  | 'unreachable'
  | 'unauthorized'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'invalid'
  | 'corrupt'
  | 'other'

/** Anything that a source could not do: what happened, and what to do next, if the message does not say. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: FailureKind
  readonly next: string
  /** The word for it that programs know. */
  readonly code: string | null

  constructor(kind: FailureKind, message: string, next: string, code: string | null = null) {
    super(message)
    this.kind = kind
    this.next = next
    this.code = code
  }
}

export const failureOf = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(
        'other',
        `The page could not do that: ${error instanceof Error ? error.message : String(error)}`,
        'Reload the page.',
      )

export type Outcome<T> = { readonly value: T } | { readonly failure: Failure }

/** What came of it, as a value. */
export async function outcomeOf<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
