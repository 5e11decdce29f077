import type { Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { library } from './tree.ts'

export const agentOption = {
  'agent-id': {
    value: 'AGENT',
    aliases: ['agent'],
    about: 'who you are; COVEN_AGENT_ID if left out',
  },
} as const satisfies Options

const variable = 'COVEN_AGENT_ID'
const agentDefault = 'user'

const given = async (context: Context): Promise<string | undefined> =>
  (await context.setting('agent_id', [variable]))?.value

/** Who asks, for the history. */
export async function agentOf(context: Context): Promise<string> {
  const { checkAgent } = await library()
  return checkAgent((await given(context)) ?? agentDefault)
}

/** The same where a claim is at stake, which is somebody's. */
export async function claimerOf(context: Context): Promise<string> {
  if ((await given(context)) === undefined)
    throw context.usageError(
      'It is not said which agent asks.',
      `Give --agent-id AGENT, or set ${variable}.`,
    )
  return agentOf(context)
}
