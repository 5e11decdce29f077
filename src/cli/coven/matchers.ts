import type { Command } from '../program/command.ts'
import { check } from './matchers/check.ts'
import { explain } from './matchers/explain.ts'

export const matchers: Command = {
  name: 'matchers',
  about: 'check the rules that choose grimoires, and explain what they choose',
  commands: [check, explain],
}
