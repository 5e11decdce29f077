import { McpServer } from '@modelcontextprotocol/server'
import { checkRole, ForbiddenError } from '../access/index.ts'
import { type Failure, type FailureWord, failureOf } from '../failure/index.ts'
import { printableJson } from '../terminal/index.ts'
import { checkedArguments, schemaOf } from './arguments.ts'
import { listTools } from './list-tools.ts'
import { planTools } from './plan-tools.ts'
import type { Done, Tool, Workplace } from './tool.ts'
import { treeTools } from './tree-tools.ts'

export const tools: readonly Tool[] = [...planTools, ...treeTools, ...listTools]

const instructions =
  'Holdfast keeps your plan when your context is lost. Call plan_show first. Set a goal and tasks with plan_goal and plan_tasks, and keep their status true. ' +
  'tree_* is work that several agents share: claim before you work, then complete, block or release. list_* is a list that a person keeps.'

/** What can be read without being asked for: name, address, and the tool that gives it. */
const resources = [
  { name: 'plan', uri: 'holdfast://plan', about: 'the plan of this directory', tool: 'plan_show' },
  {
    name: 'ready',
    uri: 'holdfast://ready',
    about: 'tasks that can be started now',
    tool: 'tree_list',
  },
] as const

/** A server of the Model Context Protocol over plans, tree and list of one store. */
export function mcpServer(workplace: Workplace, { version }: { version: string }): McpServer {
  const server = new McpServer({ name: 'holdfast', version }, { instructions })
  for (const entry of tools)
    server.registerTool(
      entry.name,
      {
        title: entry.title,
        description: entry.description,
        inputSchema: schemaOf(entry),
        annotations: {
          readOnlyHint: entry.role === 'read',
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      (given: unknown) => answer(entry, workplace, given),
    )
  for (const { name, uri, about, tool } of resources)
    server.registerResource(
      name,
      uri,
      { description: about, mimeType: 'application/json' },
      async () => {
        const { text } = await told(tools.find((each) => each.name === tool)!, workplace, {})
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      },
    )
  return server
}

async function answer(entry: Tool, workplace: Workplace, given: unknown) {
  const { text, isError } = await told(entry, workplace, given)
  return { content: [{ type: 'text' as const, text }], ...(isError ? { isError } : {}) }
}

/** What a tool says, or what went wrong, as JSON in which nothing is invisible to whoever looks over the agent's shoulder. */
async function told(entry: Tool, workplace: Workplace, given: unknown) {
  const tell = (code: string | null, done: Partial<Done>) => {
    if (entry.role === 'read') return
    const isFailure = code !== null && failures.has(code)
    const agent = agentIn(workplace, given)
    workplace.acted?.({ action: entry.name, ...done, agent, code, isFailure })
  }
  const did = (done: Done) => tell(null, done)
  try {
    if (workplace.caller) checkRole(workplace.caller, entry.role)
    const answer = await entry.run({ ...workplace, did }, await checkedArguments(entry, given))
    return { text: printableJson(answer), isError: false }
  } catch (thrown) {
    const { code: word, message, next, candidates, count, claimed_by }: Failure = failureOf(thrown)
    // As everywhere on the server.
    const code = thrown instanceof ForbiddenError ? thrown.code : word
    tell(code, meantBy(given))
    return {
      text: printableJson({ error: { code, message, next, candidates, count, claimed_by } }),
      isError: true,
    }
  }
}

/** What is nobody's mistake who called. */
const failures: ReadonlySet<string> = new Set([
  'unavailable',
  'corrupt',
  'no_store',
  'internal',
] satisfies FailureWord[])

/** What a call that was refused was about, as far as it says so. */
function meantBy(given: unknown): Partial<Done> {
  const { id, action } = (given ?? {}) as { id?: unknown; action?: unknown }
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof action === 'string' ? { change: action } : {}),
  }
}

/** Who a call says that it is, whether they may be or not. */
function agentIn({ agent: usual }: Workplace, given: unknown): string {
  const { agent } = (given ?? {}) as { agent?: unknown }
  return typeof agent === 'string' ? agent : usual
}
