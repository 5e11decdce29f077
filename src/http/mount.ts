import type { Caller } from '../access/index.ts'
import type { Bindings } from './runner.ts'

/** What speaks a language of its own, at one path. */
export interface Mount {
  readonly path: string
  readonly handle: (request: Request, sent: Sent) => Promise<Response>
}

export interface Sent {
  /** The JSON of a POST. */
  readonly body?: unknown
  readonly caller: Caller
  /** The agent that the caller acts as; undefined where nobody says. */
  readonly agent: string | undefined
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
  /** To be told of all that may have changed something, or was refused: one request may ask for several things. */
  readonly acted: (act: Act) => void
}

/** What a mount did for a request. */
export interface Act {
  /** What it was asked for. */
  readonly tool: string
  /** In whose name, where that was said. */
  readonly agent?: string | undefined
  /** Why it was not done; null where it was. */
  readonly code: string | null
  /** Whether that is nobody's mistake but ours. */
  readonly isFailure?: boolean
}

/** The same, with the request. */
export interface Acted extends Act, Pick<Bindings, 'incoming' | 'caller'> {
  readonly route: string
}
