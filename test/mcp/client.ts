import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { mcpServer, type Workplace } from '../../src/mcp/index.ts'

/** What a tool answered with. */
interface Told {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly data: any
}

interface McpDesk extends AsyncDisposable {
  readonly client: Client
  call(name: string, given?: Record<string, unknown>): Promise<Told>
  /** As {@link McpDesk.call}, and fails where the tool does. */
  ask(name: string, given?: Record<string, unknown>): Promise<Told['data']>
}

/** A client of the official SDK, connected to a server over this workplace. */
export async function mcpDesk(
  workplace: Partial<Workplace> & Pick<Workplace, 'store'>,
): Promise<McpDesk> {
  const server = mcpServer({ directory: null, agent: 'tester', ...workplace }, { version: '0.0.0' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = new Client({ name: 'test', version: '0.0.0' })
  await client.connect(here)
  const call = async (name: string, given = {}): Promise<Told> => {
    const { content, isError = false } = await client.callTool({ name, arguments: given })
    const [first] = content as { type: string; text: string }[]
    return { isError: isError === true, data: toldIn(first?.text ?? '') }
  }
  return {
    client,
    call,
    ask: async (name, given) => {
      const { isError, data } = await call(name, given)
      assert.ok(!isError, JSON.stringify(data))
      return data
    },
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await server.close()
    },
  }
}

/** What the SDK itself refuses is said in words, not as JSON. */
function toldIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
