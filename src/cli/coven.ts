import type { TreeError } from '../tree/internal.ts'
import { init } from './coven/init.ts'
import { matchers } from './coven/matchers.ts'
import { maintain, serve } from './coven/serve.ts'
import { task } from './coven/task.ts'
import { defaultStore } from './coven/workspace.ts'
import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'

export const coven: Program = {
  name: 'coven',
  about: 'a tree of work that agents and people share, claimed one task at a time.',
  commands: [init, task, matchers, maintain, serve, completion],
  starter: 'coven init',
  defaultStore,
  errorLabel: 'Error',
  exitCodeOf: (refusal) => (refusal as Partial<TreeError>).exitCode,
  examples: [
    'coven init',
    'coven task create --title "Release 1.0" --type epic',
    'coven task create --title "Tag it" --parent 019a8b5c --tags git',
    'coven task ready --limit 1',
    'coven task claim 019a8b5c --agent-id agent-7',
    'coven task complete 019a8b5c --agent-id agent-7 --summary "tagged as v1.0"',
  ],
}

export const start = (): Promise<void> => startProgram(coven)
