import { storeInsideWorkspace } from './coven/workspace.ts'
import { agents } from './holdfast/agents.ts'
import { config } from './holdfast/config.ts'
import { doctor } from './holdfast/doctor.ts'
import { mcp, serve } from './holdfast/serve.ts'
import { token } from './holdfast/token.ts'
import { exportStore, importStore } from './holdfast/transfer.ts'
import { trust } from './holdfast/trust.ts'
import type { Command, Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'

const demo: Command = {
  name: 'demo',
  about: 'show the embedded store at work, in a temporary file',
  async run({ out }) {
    const { demo } = await import('./holdfast/demo.ts')
    const said: string[] = []
    await demo((line) => {
      said.push(line)
      out.say(line)
    })
    if (out.isJson) out.answer({ kind: 'demo', data: { text: said.join('\n') }, lines: [] })
  },
}

export const holdfast: Program = {
  name: 'holdfast',
  about: 'one task engine on any compare-and-swap store.',
  defaultStore: storeInsideWorkspace,
  commands: [
    ...[serve, token, mcp, demo, doctor, exportStore, importStore],
    ...[config, trust, agents, completion],
  ],
  examples: ['holdfast serve', 'holdfast doctor', 'holdfast export tasks.ndjson'],
}

export const start = (): Promise<void> => startProgram(holdfast)
