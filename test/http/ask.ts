import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type RequestOptions, request as tlsRequest } from 'node:https'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** What a server calls the failure that it answered with. */
export const codeIn = ({ text }: Answer): string | undefined =>
  text === '' ? undefined : JSON.parse(text).code

/** One request as `fetch` can't send it: by a Unix socket, with TLS of one's own, or with any host. */
export async function ask(options: RequestOptions & { readonly body?: string }): Promise<Answer> {
  const { body, ...rest } = options
  const send = rest.protocol === 'https:' ? tlsRequest : request
  const asked = send({ agent: false, ...rest })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return {
    status: answer.statusCode as number,
    headers: answer.headers,
    text: Buffer.concat(chunks).toString(),
  }
}
