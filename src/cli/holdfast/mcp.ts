import { currentGrimoireSelection } from '../coven/grimoire.ts'
import type { Command } from '../program/command.ts'
import { shownStore } from './shown-store.ts'

export const mcp: Command = {
  name: 'mcp',
  about:
    'serve plans, tree and list to an agent, by the Model Context Protocol on stdin and stdout',
  details:
    'An agent starts it by itself, in the directory of the project: name "holdfast mcp" as the command of a server in its settings. HOLDFAST_AGENT says who claims tasks; "mcp" if it is not set.',
  examples: ['holdfast mcp', 'holdfast mcp --store nats://localhost:4222'],
  creates: true,
  async run(context) {
    const { io, out } = context
    const [{ serveStdio }, { version }] = await Promise.all([
      import('../../mcp/index.ts'),
      import('../version.ts'),
    ])
    await using store = await context.openStore()
    const ending = new AbortController()
    const end = () => ending.abort()
    process.once('SIGINT', end).once('SIGTERM', end)
    const agent = (await context.setting('agent_id', ['HOLDFAST_AGENT']))?.value ?? 'mcp'
    const log = (line: string) => out.warn(line)
    const selectGrimoire = await currentGrimoireSelection(context, log)
    const workplace = { store, directory: io.cwd(), agent, selectGrimoire }
    out.note(`The store is ${shownStore(await context.storeChoice())}.`)
    await serveStdio(workplace, { version: version(), signal: ending.signal, log })
  },
}
