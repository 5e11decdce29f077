import { ClientError } from '../../../src/client/index.ts'

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

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ClientError) return ofServer(error)
  const why = error instanceof Error ? error.message : String(error)
  return new Failure('other', `The page could not do that: ${why}`, 'Reload the page.')
}

const kinds: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  412: 'conflict',
  422: 'corrupt',
  // After many wrong tokens.
  429: 'unauthorized',
  503: 'unreachable',
}

/** What to do where the server says only what is wrong. Everything else it says itself. */
const nexts: Partial<Record<FailureKind, string>> = {
  unauthorized: 'Reload the page and enter a token that works.',
  other: 'Check the log of the server.',
}

/** What only the client can know is told in the words of a page; the rest in those of the server. */
function ofServer({ code, status, message, details }: ClientError): Failure {
  const kind = kinds[status ?? 0] ?? 'other'
  if (details['outcome'] !== undefined || /^[A-Z]/.test(code))
    return new Failure(kind, asSentence(message), nexts[kind] ?? '', code)
  switch (code) {
    case 'no_state':
      return new Failure(
        'other',
        'The server’s answers arrive without ETag, so the page can’t tell whether this has changed.',
        'Let the proxy in between pass ETag on.',
      )
    case 'unknown_outcome':
      return new Failure(
        'unreachable',
        'The server did not answer, so this may or may not have happened.',
        'Check what the page shows before you try again.',
      )
    case 'invalid_answer':
      return new Failure(
        kind,
        `The server answered ${status} with something other than JSON.`,
        'Check that this is the address of holdfast serve.',
      )
    case 'invalid_request':
      return new Failure('invalid', message, '')
    default:
      return new Failure(
        'unreachable',
        'The server does not answer.',
        'Check that holdfast serve is running.',
      )
  }
}

/** Messages that a specification fixes begin small and have no period. */
const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`

export type Outcome<T> = { readonly value: T } | { readonly failure: Failure }

/** What came of it, as a value. */
export async function outcomeOf<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}
