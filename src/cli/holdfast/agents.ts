import { oneLine } from '../../terminal/index.ts'
import type { Command, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { FileChange } from './agents/file-change.ts'

const options = {
  file: { value: 'FILE', about: 'the instructions, AGENTS.md if left out', completes: 'files' },
  hooks: {
    value: 'FILE',
    about: "also an agent's settings in JSON, with hooks that run at its start",
    completes: 'files',
  },
  'dry-run': { about: 'only show what would be written' },
} as const satisfies Options

const install: Command = {
  name: 'install',
  about: 'tell agents of np: a marked block in AGENTS.md, and a start-up hook if asked for',
  details:
    'It shows what it writes, and writes nothing but the block. With --hooks it adds "np prime" to the hooks SessionStart of a settings file, and leaves every other byte of it alone.',
  options,
  examples: [
    'holdfast agents install --dry-run',
    'holdfast agents install --hooks .claude/settings.json',
  ],
  run: (context) => change(context, 'install'),
}

const uninstall: Command = {
  name: 'uninstall',
  about: 'take that away again; the files are as they were before',
  details:
    'A file that was made for the block goes with it. A block that was changed by hand is left alone, unless --force says otherwise.',
  options: { ...options, force: { about: 'also take away a block that was changed by hand' } },
  examples: ['holdfast agents uninstall'],
  run: (context) => change(context, 'uninstall'),
}

export const agents: Command = {
  name: 'agents',
  about: 'tell coding agents how to work with plans, or no longer',
  commands: [install, uninstall],
}

type Verb = 'install' | 'uninstall'

/** All that is to be changed is known before anything is. */
async function change(context: Context, verb: Verb): Promise<void> {
  const { args, out } = context
  const changes = await planned(context, verb)
  const isDry = args.has('dry-run')
  if (!isDry) for (const each of changes) each.apply()
  const data = changes.map(({ path, action, text }) => ({ path, action, text }))
  const lines = changes.flatMap((each) => shown(each, isDry))
  out.answer({ kind: 'agents', data, lines })
}

async function planned(context: Context, verb: Verb): Promise<FileChange[]> {
  const { args, io } = context
  const { instructions } = await import('./agents/instructions.ts')
  const { resolve } = await import('node:path')
  const pathOf = (option: 'file' | 'hooks', byDefault?: string): string | undefined => {
    const given = args.value(option) ?? byDefault
    if (given === '') throw context.usageError(`--${option} names no file.`, 'Give a path.')
    return given === undefined ? undefined : resolve(io.cwd(), given)
  }
  const hooksPath = pathOf('hooks')
  const changes = [
    instructions[verb](pathOf('file', 'AGENTS.md') as string, { force: args.has('force') }),
  ]
  if (hooksPath === undefined) return changes
  const { hooks } = await import('./agents/hooks.ts')
  return [...changes, hooks[verb](hooksPath)]
}

const words = {
  none: 'nothing to do',
  make: 'made, with',
  add: 'added',
  replace: 'replaced by',
  remove: 'taken away',
  delete: 'deleted; it held only',
} as const

function shown({ path, action, text }: FileChange, isDry: boolean): string[] {
  const would = isDry && action !== 'none' ? ' (not written)' : ''
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const sign = action === 'remove' || action === 'delete' ? '-' : '+'
  return [
    `${oneLine(path)}: ${words[action]}${lines.length === 0 ? '' : ':'}${would}`,
    ...lines.map((line) => `${sign} ${line}`),
  ]
}
