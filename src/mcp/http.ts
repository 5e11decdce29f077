import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { Caller } from '../access/index.ts'
import { mcpServer } from './server.ts'
import type { Workplace } from './tool.ts'

/** Answers the requests of any number of clients over HTTP. Nothing is kept between them. */
export type McpHttp = (request: Request, sent: Sent) => Promise<Response>

interface Sent {
  /** The JSON that was sent; whoever serves has read it, within its limits. */
  readonly body?: unknown
  /** Who asks, and the agent that they act as, where they say it. */
  readonly caller: Caller
  readonly agent: string | undefined
  /** Aborted when the server ends; whoever still listens is let go then. */
  readonly ending: AbortSignal
  readonly acted?: Workplace['acted']
}

export function mcpHttp(
  workplace: Workplace,
  { version, log }: { version: string; log: (line: string) => void },
): McpHttp {
  const handler = createMcpHandler(
    ({ authInfo }) => mcpServer({ ...workplace, ...whoIn(authInfo, workplace) }, { version }),
    { onerror: ({ message }) => log(`MCP: ${message}`) },
  )
  let isFollowed = false
  return (request, { body, caller, agent, ending, acted }) => {
    if (!isFollowed) ending.addEventListener('abort', () => void handler.close(), { once: true })
    isFollowed = true
    return handler.fetch(request, {
      parsedBody: body,
      authInfo: authInfoOf({ caller, agent, acted }),
    })
  }
}

type AuthInfo = NonNullable<NonNullable<Parameters<McpHttpHandler['fetch']>[1]>['authInfo']>

/** What the SDK passes through to whoever makes the server of a request. The token itself stays with the guard. */
const authInfoOf = ({ caller: { name, role }, agent, acted }: Who): AuthInfo => ({
  token: '',
  clientId: name ?? '',
  scopes: [role],
  extra: { caller: { name, role }, agent, acted },
})

/** Without it nobody has been let in, and may only look. */
function whoIn(authInfo: AuthInfo | undefined, workplace: Workplace) {
  const {
    caller = nobody,
    agent = workplace.agent,
    acted,
  } = (authInfo?.extra ?? {}) as Partial<Who>
  return { caller, agent, acted }
}

type Who = Pick<Sent, 'caller' | 'agent' | 'acted'>

const nobody: Caller = { name: null, role: 'read' }
