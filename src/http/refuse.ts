import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessLog } from './access-log.ts'
import type { ClientAddress } from './client-address.ts'
import { errorBody, type HttpError } from './error.ts'
import { bringsToken } from './guard.ts'
import { commonHeaders } from './response.ts'
import type { Throttle } from './throttle.ts'

export interface RefuseOptions {
  readonly addressOf: ClientAddress
  readonly throttle: Throttle
  readonly access: AccessLog | null
  /** Told of every refusal, for counting. */
  readonly refused?: ((incoming: IncomingMessage, error: HttpError) => void) | undefined
}

type Refuse = (incoming: IncomingMessage, outgoing: ServerResponse, error: HttpError) => void

/** Answers refused requests: at once, unless many wrong tokens came from the same address. */
export function refuseBy({ addressOf, throttle, access, refused }: RefuseOptions): Refuse {
  return (incoming, outgoing, error) => {
    if (error.code !== 'UNAUTHORIZED' || !bringsToken(incoming)) {
      refused?.(incoming, error)
      access?.refused(incoming, error)
      answer(outgoing, error)
      return
    }
    const slowed = throttle.attempt(addressOf(incoming))
    const told = slowed?.error ?? error
    refused?.(incoming, told)
    access?.wrongToken(incoming, told)
    throttle.after(slowed?.waitMs ?? 0, () => answer(outgoing, told))
  }
}

function answer(outgoing: ServerResponse, error: HttpError): void {
  const body = JSON.stringify(errorBody(error))
  const headers = {
    ...commonHeaders,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...error.headers,
  }
  outgoing.writeHead(error.status, headers).end(body)
}
