import { createMcpHandler } from '@modelcontextprotocol/server'
import { mcpServer } from './server.ts'
import type { Workplace } from './tool.ts'

/** What a request may hold at most; none of the tools takes as much. */
const requestBytesMax = 1_048_576

/** Answers the requests of any number of clients over HTTP. Nothing is kept between them. */
export interface McpHttp {
  readonly path: string
  /** The signal is aborted when the server ends; whoever still listens is let go then. */
  readonly handle: (request: Request, ending: AbortSignal) => Promise<Response>
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
    { maxRequestBodySize: requestBytesMax, onerror: ({ message }) => log(`MCP: ${message}`) },
  )
  let isEnding = false
  return {
    path: '/mcp',
    handle: (request, ending) => {
      if (!isEnding) ending.addEventListener('abort', () => void handler.close(), { once: true })
      isEnding = true
      return handler.fetch(request)
    },
  }
}
