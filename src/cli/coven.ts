import { serve } from './coven/serve.ts'
import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'

export const coven: Program = {
  name: 'coven',
  about: 'a tree of work that agents and people share.',
  commands: [serve, completion],
  starter: 'coven serve',
}

export const start = (): Promise<void> => startProgram(coven)
