import type { Status, TaskType } from '../../tree/internal.ts'
import type { Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { library } from './tree.ts'

// The words of the library, which is not loaded for the sake of a table of commands.
export const types = ['task', 'feature', 'bug', 'epic'] as const satisfies readonly TaskType[]
export const priorities = ['0', '1', '2', '3', '4'] as const
export const statuses = [
  'open',
  'in_progress',
  'pending_merge',
  'blocked',
  'closed',
] as const satisfies readonly Status[]

/** Tags as they are typed: `a,b`. */
export const splitTags = (given: string): string[] => given.split(',')

export const fileOption = {
  value: 'PATH',
  about: 'read the body from a file',
  completes: 'files',
} as const

/** The texts that options give. One of them may come from stdin. */
export async function readTexts<Name extends string>(
  context: Context,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const { args } = context
  const fromStdin = [...names, 'file'].filter((name) => args.value(name) === '-')
  if (fromStdin.length > 1)
    throw context.usageError(
      `${fromStdin.map((name) => `--${name}`).join(' and ')} both read stdin.`,
      'Give one of them in another way.',
    )
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const file = name === 'body' ? args.value('file') : undefined
    const text = await context.readText({ text: args.value(name), file })
    if (text !== undefined) texts[name] = text
  }
  return texts
}

/** What is said about a change of status, checked before the store is opened. */
export async function readNote(context: Context, name: 'reason' | 'summary') {
  const { checkNote } = await import('../../tree/internal.ts')
  return checkNote(await readTexts(context, [name]))
}

export const reasonOption = {
  reason: { short: 'r', value: 'TEXT', about: 'why, for the history; - reads stdin' },
} as const

export const agentOption = {
  'agent-id': {
    value: 'AGENT',
    aliases: ['agent'],
    about: 'your agent ID (default COVEN_AGENT_ID)',
  },
} as const satisfies Options

const agentVariable = 'COVEN_AGENT_ID'
const agentDefault = 'user'

const givenAgent = async (context: Context): Promise<string | undefined> =>
  (await context.setting('agent_id', [agentVariable]))?.value

/** Who asks, for the history. */
export async function agentOf(context: Context): Promise<string> {
  const { checkAgent } = await library()
  return checkAgent((await givenAgent(context)) ?? agentDefault)
}

/** The same where a claim is at stake, which is somebody's. */
export async function claimerOf(context: Context): Promise<string> {
  if ((await givenAgent(context)) === undefined)
    throw context.usageError(
      'It is not said which agent asks.',
      `Give --agent-id AGENT, or set ${agentVariable}.`,
    )
  return agentOf(context)
}
