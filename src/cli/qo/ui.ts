import type { Command } from '../program/command.ts'
import { deploy } from './ui-deploy.ts'

export const ui: Command = {
  name: 'ui',
  about: 'the dashboard in the bucket itself',
  commands: [deploy],
}
