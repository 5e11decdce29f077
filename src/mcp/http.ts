import { createMcpHandler } from '@modelcontextprotocol/server'
import { mcpServer } from './server.ts'
import type { Workplace } from './tool.ts'

/** Answers the requests of any number of clients over HTTP. Nothing is kept between them. */
export type McpHttp = (request: Request, sent: Sent) => Promise<Response>

interface Sent {
  /** The JSON that was sent; whoever serves has read it, within its limits. */
  readonly body?: unknown
  /** Aborted when the server ends; whoever still listens is let go then. */
  readonly ending: AbortSignal
}

export function mcpHttp(
  workplace: Workplace,
  { version, log }: { version: string; log: (line: string) => void },
): McpHttp {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      // The same header as everywhere else on the server says who claims.
      const agent = requestInfo?.headers.get('x-agent-id') || workplace.agent
      return mcpServer({ ...workplace, agent }, { version })
    },
    { onerror: ({ message }) => log(`MCP: ${message}`) },
  )
  let isFollowed = false
  return (request, { body, ending }) => {
    if (!isFollowed) ending.addEventListener('abort', () => void handler.close(), { once: true })
    isFollowed = true
    return handler.fetch(request, { parsedBody: body })
  }
}
