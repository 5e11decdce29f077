import type { Caller } from '../access/index.ts'
import type { Act } from './route.ts'
import type { Bindings } from './runner.ts'

/** What speaks a language of its own, at one path. */
export interface Mount {
  readonly path: string
  readonly handle: (request: Request, sent: Sent) => Promise<Response>
}

interface Sent {
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

/** What a mount did, with the request. */
export interface Acted extends Act, Pick<Bindings, 'incoming' | 'caller'> {
  readonly route: string
}
