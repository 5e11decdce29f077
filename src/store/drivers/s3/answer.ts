/** One request on its way. */
export interface Outgoing {
  readonly method: string
  /** Path and query as they stand on the wire. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly timeoutMs: number
}

export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
  /** When it was asked and heard, by `performance.now()`. */
  readonly asked: number
  readonly heard: number
  /** Whether a browser may have hidden headers from us, as the bucket's rules for pages of other origins tell it to. */
  readonly isFiltered?: true
}

/** What brings requests to a server: HTTP of Node, or `fetch` in a browser. */
export interface Transport {
  /** How many requests are under way at once; more wait for their turn. */
  readonly atOnceMax: number
  /** Whether what failed for the moment is sent again; else whoever asked decides. */
  readonly isPatient: boolean
  /** Throws {@link NoAnswer}. */
  send(outgoing: Outgoing): Promise<Answer>
  close(): void
}

/** No value and no list has so many bytes; what does is another tool's, and would fill the memory. */
export const bodyBytesMax = 16_000_000
export const tooLarge = 413

/** No whole answer came. `isSent` is false only where the server can't have got the request. */
export class NoAnswer extends Error {
  readonly isSent: boolean
  /** Whether the next attempt may do better; a certificate that is refused stays so. */
  readonly mayPass: boolean

  constructor(cause: unknown, isSent: boolean) {
    super('no whole answer came', { cause })
    this.isSent = isSent
    const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException
    this.mayPass = isSent || !/CERT|SIGNATURE|_TLS_|_SSL_|EPROTO/.test(code)
  }
}
